// Schemathesis sends valid and invalid requests, and compares the responses with the document.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start } from '../languages/commands.ts';
import { emptyFolder, endProcesses, PROJECT } from '../support/service-process.ts';
import { pythonPackages } from './cache.ts';
import { startDemoService } from './demo-service.ts';

const SOURCE = join(PROJECT, 'test/openapi/schemathesis');
/** Cases at least, by profile. The paths outside of OF_PROFILE are the same in both, so one profile tries them. */
const CASES = { A: 4_000, B: 600 };
const OF_PROFILE = '/api/v1/auth/';
/** Cases of each operation beyond those that Schemathesis derives from the bounds of its schemas. */
const RANDOM_CASES = 4;

/** As much of Schemathesis' report as is looked at. */
interface Report {
  readonly complete: boolean;
  readonly operations: { readonly tested: number };
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly { readonly type: string; readonly operations: readonly string[] }[];
  readonly errors: readonly unknown[];
}

let programs: string;

beforeAll(async () => {
  programs = await pythonPackages('schemathesis', join(SOURCE, 'requirements.txt'));
});
afterAll(endProcesses);

/**
 * Runs Schemathesis; resolves with its report and its output for people.
 *
 * @param document A file instead of the document of the service.
 */
async function runSchemathesis(
  url: string,
  { document, path = '' }: { readonly document?: string; readonly path?: string } = {},
): Promise<{ readonly report: Report; readonly output: string }> {
  const folder = emptyFolder();
  const file = join(folder, 'report.json');
  const options = [
    ['--config-file', join(SOURCE, 'schemathesis.toml')],
    ['run', document ?? `${url}/openapi.json`, '--url', url],
    ['--seed', '4'],
    // The hooks must know what the request before has changed.
    ['--workers', '1'],
    ['--include-path-regex', `^${path}`],
    // Links lead from one record to another, and there is none among the paths of logins.
    ...(path === '' ? [] : [['--phases', 'examples,coverage,fuzzing']]),
    ['--max-examples', String(RANDOM_CASES)],
    // How long a random request takes to make says nothing of the service.
    ['--suppress-health-check', 'too_slow'],
    ['--report', 'json'],
    ['--report-json-path', file],
    ['--generation-database', 'none'],
    ['--continue-on-failure', '--no-color'],
  ];
  const child = start(join(programs, 'schemathesis'), options.flat(), {
    cwd: folder,
    env: { SERVICE_URL: url, SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: SOURCE, PYTHONDONTWRITEBYTECODE: '1' },
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  await new Promise((resolve) => child.once('close', resolve));
  return { report: JSON.parse(readFileSync(file, 'utf8')) as Report, output };
}

interface OpenApiDocument {
  readonly paths: Record<string, { get: { parameters: { schema: object }[]; responses: Record<string, object> } }>;
}

const documentOf = async (url: string): Promise<OpenApiDocument> =>
  (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;

const findingsOf = ({ failures }: Report) =>
  failures.flatMap(({ type, operations }) => operations.map((name) => `${type} ${name}`));

describe.each(['A', 'B'] as const)('the document of profile %s', (profile) => {
  it('documents the response to every request', async () => {
    const path = profile === 'A' ? '' : OF_PROFILE;
    const url = await startDemoService(profile);
    // The service makes the document at its first request, and Schemathesis does not wait long for it.
    const { paths } = await documentOf(url);
    const { report, output } = await runSchemathesis(url, { path });
    const findings = findingsOf(report);
    if (findings.length > 0 || report.errors.length > 0) console.log(output);
    expect(findings).toEqual([]);
    expect(report.errors).toEqual([]);
    expect(report.complete).toBe(true);
    const operations = Object.keys(paths).flatMap((key) => (key.startsWith(path) ? Object.keys(paths[key]!) : []));
    expect(report.operations.tested).toBe(operations.length);
    expect(report.test_cases.generated).toBeGreaterThan(CASES[profile]);
  });
});

it('has the same paths under both profiles, but for those of its logins', async () => {
  const documents = await Promise.all(
    (['A', 'B'] as const).map(async (profile) => documentOf(await startDemoService(profile))),
  );
  const [a, b] = documents.map(({ paths }) => Object.entries(paths).filter(([path]) => !path.startsWith(OF_PROFILE)));
  expect(a!.length).toBeGreaterThan(60);
  expect(b).toEqual(a);
});

it('finds a response that differs from the document, and a refusal that it does not announce', async () => {
  const url = await startDemoService('A');
  const document = await documentOf(url);
  const path = '/api/v1/reference-data/payment-methods';
  const { get } = document.paths[path]!;
  for (const parameter of get.parameters) parameter.schema = { type: 'string' };
  get.responses['200'] = { description: '', content: { 'application/json': { schema: { type: 'integer' } } } };
  const file = join(emptyFolder(), 'openapi.json');
  writeFileSync(file, JSON.stringify({ ...document, paths: { [path]: { get } } }));

  const { report } = await runSchemathesis(url, { document: file });
  expect(findingsOf(report)).toEqual(
    expect.arrayContaining([`JsonSchemaError GET ${path}`, `RejectedPositiveData GET ${path}`]),
  );
});
