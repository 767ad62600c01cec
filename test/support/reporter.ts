import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends the output of a run with one plain line: `N passed, N failed, N skipped`. Where TEST_SUMMARY names a file, the line is
 * written there instead, to be added to those of other runs.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      // A file that cannot be loaded or whose hooks fail counts as a failure, although no test of it failed.
      counts.failed += module.errors().length;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === 'pending' ? 'skipped' : state] += 1;
      }
    }
    const line = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
    const file = process.env['TEST_SUMMARY'];
    if (file) writeFileSync(file, line);
    else process.once('exit', () => process.stdout.write(`${line}\n`));
  }
}
