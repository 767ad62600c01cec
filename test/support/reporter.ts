import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/**
 * Ends the output of a run with one plain line: `N passed, N failed, N skipped`, the numbers of tests that vitest also prints. What
 * fails outside of tests (a file that cannot be loaded, a hook, an unhandled error) is on the line before, and in the exit code.
 * Where TEST_SUMMARY names a file, the lines are written there instead, to be added to those of other runs, after the failures: the
 * output of a long run may be cut.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const failures: string[] = [];
    const outside: string[] = [];
    const fail = (where: string, errors: readonly SerializedError[]) =>
      failures.push(`FAIL ${where}\n${errors.map(({ stack, message }) => stack ?? message).join('\n')}\n`);
    const failOutside = (where: string, error: SerializedError) => {
      outside.push(where);
      fail(where, [error]);
    };
    for (const error of unhandledErrors) failOutside('unhandled error', error);
    for (const module of modules) {
      const file = module.relativeModuleId;
      for (const error of module.errors()) failOutside(file, error);
      for (const suite of module.children.allSuites()) {
        for (const error of suite.errors()) failOutside(`${file} > ${suite.fullName}`, error);
      }
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        counts[state === 'pending' ? 'skipped' : state] += 1;
        if (state === 'failed') fail(`${file} > ${test.fullName}`, errors);
      }
    }
    const lines = [
      ...(outside.length > 0 ? [`${outside.length} failures outside of tests: ${outside.join('; ')}`] : []),
      `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`,
    ];
    const file = process.env['TEST_SUMMARY'];
    if (file) writeFileSync(file, `${failures.join('')}${lines.join('\n')}\n`);
    else process.once('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  }
}
