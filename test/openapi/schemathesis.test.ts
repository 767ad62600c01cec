// Schemathesis sends valid and invalid requests, and compares the responses with the document.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start } from '../languages/commands.ts';
import { emptyFolder, endProcesses, PROJECT } from '../support/service-process.ts';
import { pythonPackages } from './cache.ts';
import { startDemoService } from './demo-service.ts';

const SOURCE = join(PROJECT, 'test/openapi/schemathesis');
const CASES = 4_000;
/** Cases of each operation beyond those that Schemathesis derives from the bounds of its schemas. */
const RANDOM_CASES = 15;

/** As much of Schemathesis' report as is looked at. */
interface Report {
  readonly complete: boolean;
  readonly operations: { readonly total: number; readonly tested: number };
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
  document?: string,
): Promise<{ readonly report: Report; readonly output: string }> {
  const folder = emptyFolder();
  const file = join(folder, 'report.json');
  const options = [
    ['--config-file', join(SOURCE, 'schemathesis.toml')],
    ['run', document ?? `${url}/openapi.json`, '--url', url],
    ['--seed', '4'],
    // The hooks must know what the request before has changed.
    ['--workers', '1'],
    ['--max-examples', String(RANDOM_CASES)],
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

const findingsOf = ({ failures }: Report) =>
  failures.flatMap(({ type, operations }) => operations.map((name) => `${type} ${name}`));

describe.each(['A', 'B'] as const)('the document of profile %s', (profile) => {
  it('documents the response to every request', async () => {
    const { report, output } = await runSchemathesis(await startDemoService(profile));
    const findings = findingsOf(report);
    if (findings.length > 0 || report.errors.length > 0) console.log(output);
    expect(findings).toEqual([]);
    expect(report.errors).toEqual([]);
    expect(report.complete).toBe(true);
    expect(report.operations.tested).toBe(report.operations.total);
    expect(report.test_cases.generated).toBeGreaterThan(CASES);
  });
});

it('finds a response that differs from the document, and a refusal that it does not announce', async () => {
  const url = await startDemoService('A');
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, { get: { parameters: { schema: object }[]; responses: Record<string, object> } }>;
  };
  const path = '/api/v1/reference-data/payment-methods';
  const { get } = document.paths[path]!;
  for (const parameter of get.parameters) parameter.schema = { type: 'string' };
  get.responses['200'] = { description: '', content: { 'application/json': { schema: { type: 'integer' } } } };
  const file = join(emptyFolder(), 'openapi.json');
  writeFileSync(file, JSON.stringify({ ...document, paths: { [path]: { get } } }));

  const { report } = await runSchemathesis(url, file);
  expect(findingsOf(report)).toEqual(
    expect.arrayContaining([`JsonSchemaError GET ${path}`, `RejectedPositiveData GET ${path}`]),
  );
});
