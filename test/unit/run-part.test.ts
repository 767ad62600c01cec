// What fails in `npm run test:all`, and what is repeated.
import { describe, expect, it } from 'vitest';
import { runPart } from '../../scripts/run-part.ts';
import { TEST_PARTS } from '../../scripts/test-parts.ts';
import type { TestFailure, TestSummary } from '../../scripts/test-summary.ts';
import config from '../../vitest.config.ts';

const FAILURE: TestFailure = { file: 'a.test.ts', test: 'a > takes 10 ms', reason: 'took 12 ms' };
const FIRST: TestSummary = { passed: 9, failed: 1, skipped: 0, failures: [FAILURE] };
const PASSED: TestSummary = { passed: 1, failed: 0, skipped: 0, failures: [] };
const FAILED: TestSummary = { passed: 0, failed: 1, skipped: 0, failures: [FAILURE] };
const NOT_RUN: TestSummary = { passed: 0, failed: 0, skipped: 0, failures: [] };

/** Runs a part whose runs end as given, in this order. */
function runs(outcomes: readonly TestSummary[], repeat?: (failure: TestFailure) => string[]) {
  const [left, asked, lines] = [[...outcomes], [] as (readonly string[])[], [] as string[]];
  const result = runPart(
    { ...(repeat && { repeat }) },
    (args) => {
      asked.push(args);
      return left.shift()!;
    },
    (line) => lines.push(line),
  );
  return { result, asked, lines };
}

describe('a part of test:all', () => {
  it('is not repeated if it does not measure', () => {
    expect(runs([FIRST])).toEqual({ result: { ...FIRST, repeated: 0 }, asked: [[]], lines: [] });
  });

  it.each([
    ['passes if both repetitions pass', [PASSED, PASSED], { passed: 10, failed: 0, failures: [] }],
    ['fails if the first repetition fails', [FAILED, PASSED], { passed: 9, failed: 1, failures: [FAILURE] }],
    ['fails if the second repetition fails', [PASSED, FAILED], { passed: 9, failed: 1, failures: [FAILURE] }],
    ['fails if a repetition runs no test', [NOT_RUN, PASSED], { passed: 9, failed: 1, failures: [FAILURE] }],
  ])('%s, and shows and counts both', (_, repetitions, counts) => {
    const { result, asked, lines } = runs([FIRST, ...repetitions], ({ file }) => [file]);
    expect(result).toEqual({ ...counts, skipped: 0, repeated: 2 });
    expect(asked).toEqual([[], ['a.test.ts'], ['a.test.ts']]);
    expect(lines.map((line) => line.replace(/^repetition (\d) of 2 /, '$1 '))).toEqual(
      repetitions.map(
        ({ passed }, index) => `${index + 1} ${passed > 0 ? 'passed' : 'failed'}: a.test.ts > a > takes 10 ms`,
      ),
    );
  });

  it('repeats one test by its name, also one with special characters', () => {
    const { repeat } = TEST_PARTS.find(({ name }) => name === 'timed')!;
    const [file, option, pattern] = repeat!({ file: 'a.test.ts', test: 'a (b) > c > d*', reason: '' });
    expect([file, option]).toEqual(['a.test.ts', '--testNamePattern']);
    expect('a (b) c > d*').toMatch(new RegExp(pattern!));
    expect('a (b) c d*').toMatch(new RegExp(pattern!));
    expect('a (b) c dd').not.toMatch(new RegExp(pattern!));
  });
});

it('has a part for each project, apart from the gate and the tests of mutants', () => {
  const names = config.test!.projects!.map((project) => (project as { readonly test: { name: string } }).test.name);
  const parts = TEST_PARTS.map(({ name }) => name);
  expect(names.filter((name) => !parts.includes(name))).toEqual(['main', 'mutation']);
});
