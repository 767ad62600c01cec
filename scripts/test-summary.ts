// What a program of tests writes to the file that TEST_SUMMARY names, for `npm run test:all`.
import { readFileSync, writeFileSync } from 'node:fs';

export interface TestFailure {
  /** Relative path, or the name of the row if the program is a benchmark. */
  readonly file: string;
  /** Name of the test with its suites. Missing if it happened outside of a test. */
  readonly test?: string | undefined;
  readonly reason: string;
}

export interface TestSummary {
  readonly passed: number;
  /** Failed tests. Failures outside of tests are in `failures` alone. */
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly TestFailure[];
}

/** Writes the summary if TEST_SUMMARY is set. Returns whether it is. */
export function writeSummary(summary: TestSummary): boolean {
  const file = process.env['TEST_SUMMARY'];
  if (!file) return false;
  writeFileSync(file, JSON.stringify(summary));
  return true;
}

/** Returns undefined if the program wrote none, for example because it was killed. */
export function readSummary(file: string): TestSummary | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TestSummary;
  } catch {
    return undefined;
  }
}

/** The last line of each run. */
export function countsLine({ passed, failed, skipped }: Omit<TestSummary, 'failures'>): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
