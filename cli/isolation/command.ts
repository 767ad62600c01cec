// The command isolation: calls all operations of a running service and tries to access another tenant's data.
import { join } from 'node:path';
import { grpcChannel, type GrpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import { isFailure, type Finding, type Verdict } from './operation.ts';
import { checkIsolation, type Report } from './check-isolation.ts';
import { readOptions, USAGE, type Credential, type Options } from './options.ts';
import { CheckFailedError, logIn, logOut, partyOf, type Party, type Target } from './party.ts';
import { apiRootOf, type OpenApi } from './routes.ts';
import { declaredRpcs, type DeclaredRpc } from './rpcs.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Environment and output of the command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder to which paths in options are relative. */
  readonly callerFolder: string;
  out(text: string): void;
  error(text: string): void;
}

/** Returns all RPCs of this project's protos, including the health protocol. */
export function projectRpcs(): DeclaredRpc[] {
  return declaredRpcs([join(ROOT, 'proto'), join(ROOT, 'third_party')]);
}

/** Runs the command with the arguments after its name. Returns the exit code. */
export async function runIsolation(argv: readonly string[], terminal: Terminal): Promise<number> {
  let options: Options | 'help';
  let channel: GrpcChannel | undefined;
  try {
    options = readOptions(argv, terminal);
    channel = options === 'help' ? undefined : createChannel(options);
  } catch (error) {
    terminal.error(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  if (options === 'help') {
    terminal.out(USAGE);
    return 0;
  }
  try {
    return await check(options, channel, terminal);
  } catch (error) {
    const message = error instanceof CheckFailedError ? error.message : String((error as Error).stack);
    terminal.error(`isolation could not be checked: ${message}\n`);
    return 2;
  } finally {
    channel?.close();
  }
}

async function check(
  { url, ignoredHeaders, own, other, json }: Options,
  channel: GrpcChannel | undefined,
  terminal: Terminal,
): Promise<number> {
  const document = await fetchDocument(url);
  const target = { url, ignoredHeaders, apiRoot: apiRootOf(document), connect: channel?.client };
  const [a, b] = [await signIn(target, own), await signIn(target, other)];
  try {
    const report = await checkIsolation({ own: a, other: b, document, rpcs: projectRpcs() });
    terminal.out(json ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report, channel !== undefined));
    return report.findings.some(isFailure) ? 1 : 0;
  } finally {
    if (!('token' in own)) await logOut(a);
    if (!('token' in other)) await logOut(b);
  }
}

function createChannel({ rpc, tls }: Options): GrpcChannel | undefined {
  if (rpc === undefined) return undefined;
  return grpcChannel({ target: rpc, tls: tls.ca === undefined && tls.cert === undefined ? undefined : tls });
}

async function fetchDocument(url: string): Promise<OpenApi> {
  const response = await fetch(`${url}/openapi.json`).catch((error: Error) => {
    throw new CheckFailedError(
      `${url} does not respond: ${(error.cause as Error | undefined)?.message ?? error.message}`,
    );
  });
  if (response.status === 404)
    throw new CheckFailedError(`${url}/openapi.json is not served; set app.http.docs=true for the check`);
  if (!response.ok) throw new CheckFailedError(`${url}/openapi.json: ${response.status}`);
  return (await response.json()) as OpenApi;
}

async function signIn(target: Target, credential: Credential): Promise<Party> {
  if ('token' in credential) return partyOf(target, credential.token);
  return partyOf(target, await logIn(target, credential.username, credential.password));
}

/** Verdicts by severity, the worst first. An operation with several findings gets the worst verdict. */
const SEVERITY: readonly Verdict[] = ['failed', 'uncovered', 'skipped', 'not-served', 'passed', 'not-applicable'];

const WORDS: Readonly<Record<Verdict, string>> = {
  failed: 'FAILED',
  uncovered: 'NOT COVERED',
  skipped: 'part',
  'not-served': 'not served',
  passed: 'passed',
  'not-applicable': '-',
};

/** Checks of all operations, which the lines do not list. */
const COMMON_CHECKS = ['visible to its owner', 'unchanged'];

/** Formats one line per operation, the failures below it, and a summary. */
export function reportText({ findings, missing, left }: Report, rpcChecked: boolean): string {
  const operations = Map.groupBy(findings, ({ surface, operation }) => `${surface}  ${operation}`);
  const width = Math.max(...[...operations.keys()].map(({ length }) => length));
  const rows = [...operations].flatMap(([name, each]) => rowsOf(name.padEnd(width), each));
  const failures = findings.filter(isFailure);
  const passed = findings.filter(({ verdict }) => verdict === 'passed');
  return [
    ...rows,
    '',
    ...missing.map((reason) => `Not created, so not checked: ${reason}`),
    ...(rpcChecked ? [] : ['RPCs were not checked: --rpc is missing']),
    ...left.map((record) => `Left behind: ${record}`),
    `${operations.size} operations, ${passed.length} checks passed, ${failures.length} failed`,
    '',
  ].join('\n');
}

function rowsOf(name: string, findings: readonly Finding[]): string[] {
  const worst = SEVERITY.find((verdict) => findings.some((finding) => finding.verdict === verdict))!;
  const passed = findings.filter(({ verdict }) => verdict === 'passed');
  const asked = [...new Set(passed.map(({ asked }) => asked))].filter((text) => !COMMON_CHECKS.includes(text));
  const remark = worst === 'not-applicable' || worst === 'not-served' ? findings[0]!.detail : asked.join('; ');
  const unresolved = findings.filter((finding) => isFailure(finding) || finding.verdict === 'skipped');
  return [
    `${name}  ${WORDS[worst].padEnd(11)}  ${remark}`.trimEnd(),
    ...new Set(
      unresolved.map(({ asked, detail }) => `      ${[asked, detail].filter((text) => text !== '').join(': ')}`),
    ),
  ];
}
