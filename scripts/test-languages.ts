// Runs the tests of clients in other languages, then each executable test/languages/*/run. Such a program prints
// `N passed, N failed, N skipped` as its last line. This script prints the same line with the totals. If TEST_SUMMARY is the path
// of a file, the failures and the line are written there instead.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const SUMMARY = /^(\d+) passed, (\d+) failed, (\d+) skipped$/;
const folder = mkdtempSync(join(tmpdir(), 'languages-'));
const vitestSummary = join(folder, 'summary');
// TEST_SUMMARY is not passed on, because the programs would write to the caller's file.
const { TEST_SUMMARY: summary, ...environment } = process.env;

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'languages', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, vitest, {
  stdio: 'inherit',
  env: { ...environment, TEST_SUMMARY: vitestSummary },
});
const total: [number, number, number] = [0, 0, 0];
const failures: string[] = [];
add('vitest', status, readText(vitestSummary));
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
if (summary) writeFileSync(summary, `${failures.join('')}${line}\n`);
else console.log(line);
process.exitCode = total[1] ? 1 : 0;

/** Adds the counts of a program. A missing summary, or a non-zero exit code without failures, counts as one failure. */
function add(name: string, status: number | null, output: string): void {
  const [, ...counts] = SUMMARY.exec(output.trimEnd().split('\n').at(-1) ?? '') ?? [];
  const [passed = 0, failed = 0, skipped = 0] = counts.map(Number);
  const failedTests = failed || Number(status !== 0 || passed + skipped === 0);
  if (failedTests) {
    console.error(`${name} failed`);
    failures.push(`FAIL ${name}\n${output}\n`);
  }
  total[0] += passed;
  total[1] += failedTests;
  total[2] += skipped;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
