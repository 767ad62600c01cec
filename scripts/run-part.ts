// Runs one part of `npm run test:all`, and repeats what fails in it.
import type { TestPart } from './test-parts.ts';
import type { TestFailure, TestSummary } from './test-summary.ts';

export const REPETITIONS = 2;

export interface PartResult extends TestSummary {
  /** Runs of single tests or rows after their first failure. */
  readonly repeated: number;
}

/**
 * Runs a part. If it measures, each failure is repeated twice, and counts if the test fails in two of the three runs.
 *
 * @param run Runs the part with further arguments.
 */
export function runPart(
  { repeat }: Pick<TestPart, 'repeat'>,
  run: (args: readonly string[]) => TestSummary,
  log: (line: string) => void,
): PartResult {
  const first = run([]);
  if (repeat === undefined) return { ...first, repeated: 0 };
  const confirmed = first.failures.filter((failure) => {
    const outcomes = Array.from({ length: REPETITIONS }, (_, index) => {
      const { passed, failures } = run(repeat(failure));
      const hasFailed = passed === 0 || failures.some((one) => nameOf(one) === nameOf(failure));
      log(`repetition ${index + 1} of ${REPETITIONS} ${hasFailed ? 'failed' : 'passed'}: ${nameOf(failure)}`);
      return hasFailed;
    });
    return outcomes.includes(true);
  });
  const recovered = first.failures.length - confirmed.length;
  return {
    ...first,
    passed: first.passed + recovered,
    failed: first.failed - recovered,
    failures: confirmed,
    repeated: REPETITIONS * first.failures.length,
  };
}

export function nameOf({ file, test }: TestFailure): string {
  return test === undefined ? file : `${file} > ${test}`;
}
