import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/**
 * Ends the output of a run with one plain line: `N passed, N failed, N skipped`. Where TEST_SUMMARY names a file, the line is
 * written there instead, to be added to those of other runs, after the failures: the output of a long run may be cut.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const failures: string[] = [];
    const fail = (where: string, errors: readonly SerializedError[]) => {
      counts.failed += 1;
      failures.push(`FAIL ${where}\n${errors.map(({ stack, message }) => stack ?? message).join('\n')}\n`);
    };
    for (const error of unhandledErrors) fail('outside of the tests', [error]);
    for (const module of modules) {
      const file = module.relativeModuleId;
      // A file that cannot be loaded or whose hooks fail counts as a failure, although no test of it failed.
      for (const error of module.errors()) fail(file, [error]);
      for (const suite of module.children.allSuites()) {
        for (const error of suite.errors()) fail(`${file} > ${suite.fullName}`, [error]);
      }
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        if (state === 'failed') fail(`${file} > ${test.fullName}`, errors);
        else counts[state === 'pending' ? 'skipped' : state] += 1;
      }
    }
    const line = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
    const file = process.env['TEST_SUMMARY'];
    if (file) writeFileSync(file, `${failures.join('')}${line}\n`);
    else process.once('exit', () => process.stdout.write(`${line}\n`));
  }
}
