// The check of --quick: no row has a ratio of CPU times below its floor. Other programs on the machine change CPU times much less
// than rates.
import { compare, type Comparison, type Effort } from './compare.ts';
import { resultOf, type Result } from './results.ts';

const MAX_ATTEMPTS = 3;
/** If others use more of the core, a low ratio proves nothing: reads and writes are then shared by fewer requests. */
const MAX_OTHERS_SHARE = 0.4;

/** Measures a row again if it is below its floor: a brief disturbance is not there three times. */
export async function compareWithFloor(comparison: Comparison, effort: Effort): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const result = resultOf(comparison, await compare(comparison, effort));
    if (outcomeOf(result) === 'passed' || attempt === MAX_ATTEMPTS) return result;
    process.stderr.write(`  ${describe(result)}: once more\n`);
  }
}

/** Returns the rows below their floor and the counts, as lines like those of test/support/reporter.ts. */
export function summarize(results: readonly Result[]): { readonly failed: boolean; readonly text: string } {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const lines: string[] = [];
  for (const result of results) {
    const outcome = outcomeOf(result);
    counts[outcome] += 1;
    if (outcome !== 'passed') lines.push(`${outcome === 'failed' ? 'FAIL' : 'SKIP'} ${describe(result)}`);
  }
  lines.push(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return { failed: counts.failed > 0, text: `${lines.join('\n')}\n` };
}

function outcomeOf({ cpuRatio, floor = 0, othersShare }: Result): 'passed' | 'failed' | 'skipped' {
  if (cpuRatio >= floor) return 'passed';
  return othersShare > MAX_OTHERS_SHARE ? 'skipped' : 'failed';
}

function describe({ title, cpuRatio, floor, othersShare }: Result): string {
  const others = `other programs used ${Math.round(100 * othersShare)} % of the core`;
  return `${title}: ratio of CPU times ${cpuRatio.toFixed(2)}, floor ${floor}; ${others}`;
}
