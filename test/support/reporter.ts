import type { UserConsoleLog } from 'vitest';
import type { Reporter, SerializedError, TestCase, TestModule, TestSpecification, Vitest } from 'vitest/node';
import { TEST_PARTS } from '../../scripts/test-parts.ts';
import { countsLine, writeSummary, type TestFailure } from '../../scripts/test-summary.ts';
import { leftOutFiles } from '../../scripts/test-tools.ts';
import { ROUNDS } from './rounds.ts';

/** A run of so few files was chosen by hand: it needs no words on all others. */
const SOME_FILES = 50;

/** Where something failed: in a test, a suite or a whole file. */
interface Place {
  readonly file: string;
  readonly suite?: string;
  readonly test?: string;
}

/**
 * Says first what a run consists of, then one line for each file that ends, and each failure at once, with its reason. The last line is
 * plain: `N passed, N failed, N skipped`. What fails outside of tests (a file that cannot be loaded, a hook, an unhandled error) is on the
 * line before, and in the exit code. If TEST_SUMMARY names a file, the counts and failures are written there too.
 */
export default class ProgressReporter implements Reporter {
  readonly #failures: TestFailure[] = [];
  /** Where failures outside of tests happened. */
  readonly #outside: string[] = [];
  readonly #startedAt = performance.now();
  #vitest: Vitest | undefined;
  #files = 0;
  #endedFiles = 0;
  #endedTests = 0;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length;
    const projects = [...new Set(specifications.map(({ project }) => project.name))].join(', ');
    print(`${projects || 'tests'}: ${this.#files} files`);
    // With more rounds, it is the part `rounds` of `npm run test:all`.
    if (projects === 'main' && this.#files > SOME_FILES && ROUNDS === 1) for (const line of scopeOfGate()) print(line);
  }

  onUserConsoleLog({ type, content }: UserConsoleLog): void {
    process[type].write(content);
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    this.#endedTests += 1;
    if (state === 'failed') this.#fail(errors ?? [], { file: test.module.relativeModuleId, test: test.fullName });
  }

  onTestModuleEnd(module: TestModule): void {
    const file = module.relativeModuleId;
    this.#endedFiles += 1;
    this.#fail(module.errors(), { file });
    for (const suite of module.children.allSuites()) this.#fail(suite.errors(), { file, suite: suite.fullName });
    const count = [...module.children.allTests()].length;
    const progress = `${this.#elapsed()} ${String(this.#endedFiles).padStart(String(this.#files).length)}/${this.#files}`;
    const seconds = (module.diagnostic().duration / 1_000).toFixed(1);
    print(`${progress} ${module.state() === 'failed' ? 'FAILED ' : ''}${file}: ${count} tests, ${seconds} s`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    this.#fail(unhandledErrors, { file: 'unhandled error' });
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state === 'pending' ? 'skipped' : state] += 1;
      }
    }
    const outside = this.#outside;
    print(`${this.#endedFiles} files, ${this.#endedTests} tests, ${this.#elapsed()}`);
    writeSummary({ ...counts, failures: this.#failures });
    process.once('exit', () => {
      if (outside.length > 0) print(`${outside.length} failures outside of tests: ${outside.join('; ')}`);
      print(countsLine(counts));
    });
  }

  #fail(errors: readonly SerializedError[], { file, suite, test }: Place): void {
    if (errors.length === 0) return;
    const place = [file, suite ?? test].filter(Boolean).join(' > ');
    print(`\nFAIL ${place}`);
    for (const error of errors) this.#vitest!.logger.printError(error, { showCodeFrame: true });
    this.#failures.push({ file, test, reason: errors.map(({ stack, message }) => stack ?? message).join('\n') });
    if (test === undefined) this.#outside.push(place);
  }

  #elapsed(): string {
    const seconds = Math.round((performance.now() - this.#startedAt) / 1_000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  }
}

/** What `npm test` runs, and what it leaves to other runs. */
function scopeOfGate(): string[] {
  const parts = TEST_PARTS.map(({ name }) => name).join(', ');
  const leftOut = Object.entries(leftOutFiles()).map(
    ([tool, files]) => `Left out, because ${tool} is not installed: ${files.join(', ')}`,
  );
  return [
    'Requests and responses on SQLite, statements also on a database server, one round of each race. Nothing measures time.',
    `Left to npm run test:all: ${parts}.`,
    ...leftOut,
  ];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
