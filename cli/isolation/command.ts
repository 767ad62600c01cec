// The command isolation: calls all operations of a running service and tries to access another tenant's data.
import { grpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import type { Input } from '../command.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import type { Result } from '../terminal/render.ts';
import { isFailure, type Finding, type Verdict } from './operation.ts';
import { checkIsolation, type Report } from './check-isolation.ts';
import { readOptions, type Credential } from './options.ts';
import { logIn, logOut, partyOf, type Party, type Target } from './party.ts';
import { apiRootOf, type OpenApi } from './routes.ts';
import { projectRpcs } from './rpcs.ts';

/** Checks the deployment of the options. */
export async function runIsolation(input: Input): Promise<Result> {
  const { url, rpc, tls, ignoredHeaders, own, other } = readOptions(input);
  const channel = rpc === undefined ? undefined : grpcChannel({ target: rpc, tls });
  try {
    const document = await fetchDocument(url);
    const target = { url, ignoredHeaders, apiRoot: apiRootOf(document), connect: channel?.client };
    const [a, b] = [await signIn(target, own), await signIn(target, other)];
    try {
      const report = await checkIsolation({ own: a, other: b, document, rpcs: projectRpcs() });
      return { value: report, text: reportText(report, rpc !== undefined), failed: report.findings.some(isFailure) };
    } finally {
      if (!('token' in own)) await logOut(a);
      if (!('token' in other)) await logOut(b);
    }
  } finally {
    channel?.close();
  }
}

async function fetchDocument(url: string): Promise<OpenApi> {
  const response = await fetch(`${url}/openapi.json`).catch((error: Error) => {
    const reason = (error.cause as Error | undefined)?.message ?? error.message;
    throw new CommandFailure(`${url} does not respond: ${reason}`, EXIT.unavailable);
  });
  if (response.status === 404)
    throw new CommandFailure(`${url}/openapi.json is not served; set app.http.docs=true for the check`);
  if (!response.ok) throw new CommandFailure(`${url}/openapi.json: ${response.status}`);
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
export function reportText({ findings, missing, left, hasModules }: Report, rpcChecked: boolean): string {
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
    ...(rpcChecked && hasModules ? ['RPCs of modules were checked by their routes only'] : []),
    ...left.map((record) => `Left behind: ${record}`),
    `${operations.size} operations, ${passed.length} checks passed, ${failures.length} failed`,
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
