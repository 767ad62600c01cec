// Runs all tests but those of `npm test`, part by part: `npm run test:all`, or `npm run test:all -- PART…`. A failure of a part that
// measures times or memory is repeated twice, and counts if it fails again. Ends with a table and the plain line
// `N passed, N failed, N skipped`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nameOf, runPart, type PartResult } from './run-part.ts';
import { TEST_PARTS, type TestPart } from './test-parts.ts';
import { countsLine, readSummary, type TestSummary } from './test-summary.ts';

const USAGE = `npm run test:all -- [options] [PART…]
  PART          run these parts only, in the order of the table
  --rounds N    rounds of each race, in all parts
  --list        list the parts`;
const ROUNDS = 8;

interface Row extends PartResult {
  readonly part: TestPart;
  readonly minutes: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string' }, list: { type: 'boolean' }, help: { type: 'boolean' } },
});
const unknown = positionals.filter((name) => !TEST_PARTS.some((part) => part.name === name));
if (values.help || unknown.length > 0) {
  console.log([...unknown.map((name) => `There is no part ${name}.`), USAGE].join('\n'));
  process.exit(unknown.length > 0 ? 2 : 0);
}
const parts = TEST_PARTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
if (values.list) {
  for (const { name, shows } of parts) console.log(`${name.padEnd(16)}${shows}`);
  process.exit();
}

const folder = mkdtempSync(join(tmpdir(), 'test-all-'));
const results: Row[] = [];
for (const part of parts) {
  console.log(`\n=== ${part.name}: ${part.shows} (${results.length + 1} of ${parts.length})`);
  const begun = performance.now();
  const result = runPart(part, (args) => run(part, args), console.log);
  results.push({ part, ...result, minutes: (performance.now() - begun) / 60_000 });
  console.log(tableOf(results));
}
rmSync(folder, { recursive: true });
for (const { part, failures } of results) {
  for (const failure of failures) console.log(`FAIL ${part.name}: ${nameOf(failure)}\n${failure.reason}\n`);
}
const sum = (of: (result: Row) => number) => results.reduce((total, result) => total + of(result), 0);
const failed = sum((result) => result.failed);
console.log(countsLine({ passed: sum((result) => result.passed), failed, skipped: sum((result) => result.skipped) }));
process.exitCode = failed > 0 ? 1 : 0;

function run({ program, rounds = ROUNDS }: TestPart, args: readonly string[]): TestSummary {
  const file = join(folder, 'summary.json');
  rmSync(file, { force: true });
  const env = { ...process.env, TEST_SUMMARY: file, TEST_ROUNDS: values.rounds ?? String(rounds) };
  const { status, signal } = spawnSync(process.execPath, [...program, ...args], { stdio: 'inherit', env });
  const summary = readSummary(file) ?? { passed: 0, failed: 0, skipped: 0, failures: [] };
  // What fails outside of tests has no test to count: one failure for each place.
  const outside = summary.failures.filter(({ test }) => test === undefined).length;
  const failed = summary.failed + outside;
  if (failed > 0 || (status === 0 && summary.passed > 0)) return { ...summary, failed };
  const reason = `ended with ${signal ?? `exit code ${status}`} and without a failed test`;
  return { ...summary, failed: 1, failures: [{ file: program.join(' '), reason }] };
}

function tableOf(rows: readonly Row[]): string {
  const head = ['part', 'passed', 'failed', 'skipped', 'repeated', 'minutes'];
  const cells = rows.map(({ part, passed, failed, skipped, repeated, minutes }) =>
    [part.name, passed, failed, skipped, repeated, minutes.toFixed(1)].map(String),
  );
  return [head, ...cells]
    .map(([name, ...counts]) => name!.padEnd(16) + counts.map((count) => count.padStart(10)).join(''))
    .join('\n');
}
