// The check of --quick: no row has a ratio of CPU times below its floor. Other programs on the machine change CPU times much less
// than rates; `npm run test:all` repeats a row that fails.
import type { TestSummary } from '../scripts/test-summary.ts';
import type { Result } from './results.ts';

/** Returns the counts and the rows below their floor. */
export function summarize(results: readonly Result[]): TestSummary {
  const slow = results.filter(({ cpuRatio, floor = 0 }) => !(cpuRatio >= floor));
  return {
    passed: results.length - slow.length,
    failed: slow.length,
    skipped: 0,
    failures: slow.map((result) => ({ file: 'bench', test: result.title, reason: describe(result) })),
  };
}

function describe({ title, cpuRatio, floor, othersShare }: Result): string {
  const others = `other programs used ${Math.round(100 * othersShare)} % of the core`;
  return `${title}: ratio of CPU times ${cpuRatio.toFixed(2)}, floor ${floor}; ${others}`;
}
