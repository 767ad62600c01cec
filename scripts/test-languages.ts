// Runs the tests of callers in other languages, then the `run` of each folder of test/languages that has one: an executable that
// ends its output with `N passed, N failed, N skipped`. Ends with the same line for all; where TEST_SUMMARY names a file, the line is
// written there instead.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const SUMMARY = /^(\d+) passed, (\d+) failed, (\d+) skipped$/;
const folder = mkdtempSync(join(tmpdir(), 'languages-'));
const ours = join(folder, 'summary');
// Where a program's line goes is told to each of them: one that inherited our caller's file would write there.
const { TEST_SUMMARY: summary, ...environment } = process.env;

const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'vitest.languages.config.ts',
  ...process.argv.slice(2),
];
const { status } = spawnSync(process.execPath, vitest, {
  stdio: 'inherit',
  env: { ...environment, TEST_SUMMARY: ours },
});
const total: [number, number, number] = [0, 0, 0];
add('vitest', status, readText(ours));
for (const program of globSync('test/languages/*/run').toSorted()) {
  console.log(`\n${program}`);
  const { stdout, status } = spawnSync(join(process.cwd(), program), {
    cwd: dirname(program),
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  process.stdout.write(stdout ?? '');
  add(program, status, stdout ?? '');
}
rmSync(folder, { recursive: true });

const line = `${total[0]} passed, ${total[1]} failed, ${total[2]} skipped`;
if (summary) writeFileSync(summary, line);
else console.log(line);
process.exitCode = total[1] ? 1 : 0;

/** A part without a summary, or with an exit code that its summary does not explain, is one failure. */
function add(name: string, status: number | null, output: string): void {
  const [, ...counts] = SUMMARY.exec(output.trimEnd().split('\n').at(-1) ?? '') ?? [];
  const [passed = 0, failed = 0, skipped = 0] = counts.map(Number);
  const failures = failed || Number(status !== 0 || passed + skipped === 0);
  if (failures) console.error(`${name} failed`);
  total[0] += passed;
  total[1] += failures;
  total[2] += skipped;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
