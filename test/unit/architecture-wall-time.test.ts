// No test of the gate measures or waits for wall time: it would be red on a busy machine. A duration that is tested is injected, a wait
// is for a state, and the rest is in `*.timed.test.ts`.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import config from '../../vitest.config.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A file that may use wall time so many times, and why. */
type Exceptions = Readonly<Record<string, readonly [count: number, reason: string]>>;

/** Both lists only shrink. */
const IN_TESTS: Exceptions = {};
const MOST_IN_TESTS = 0;

/** Modules that tests of the gate import. */
const IN_SUPPORT: Exceptions = {};
const MOST_IN_SUPPORT = 0;

const COMMENTS = /^\s*(?:\/\/|\*|\/\*).*$/gm;
const USES: readonly RegExp[] = [
  /\bperformance\.now\b/g,
  /\bDate\.now\b/g,
  /\bhrtime\b/g,
  // Not the `sleep` of a clock that the test advances.
  /(?<![.\w])sleep\(/g,
  /(?<![.\w])(?:globalThis\.)?setTimeout\(/g,
  /\b(?:sleep|setTimeout) as \w/g,
  // Of these modules, only setImmediate does not wait for a time.
  /import (?!\{ setImmediate(?: as \w+)? \})[^;]*? from '(?:node:)?timers(?:\/promises)?'/g,
  /\b(?:import|require)\('(?:node:)?timers(?:\/promises)?'\)/g,
];

const countOf = (text: string): number => {
  const code = text.replaceAll(COMMENTS, '');
  return USES.reduce((count, use) => count + [...code.matchAll(use)].length, 0);
};

/** Returns the files with a use of wall time, and their counts. */
const countsOf = (paths: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    paths
      .toSorted()
      .map((path) => [path, countOf(readFileSync(`${ROOT}${path}`, 'utf8'))] as const)
      .filter(([, count]) => count > 0),
  );

/** The tests of the project `main`, and the modules beside them. */
function filesOfGate() {
  const options = config.test!.projects!.map((project) => (project as { readonly test: typeof MAIN }).test);
  const { include, exclude } = options.find(({ name }) => name === 'main') ?? MAIN;
  const find = (patterns: readonly string[]) => globSync(patterns, { cwd: ROOT, exclude });
  const tests = find(include).filter((path) => path !== OWN);
  const modules = include.map((pattern) => pattern.replace('*.test.ts', '*.ts'));
  return { tests, modules: find(modules).filter((path) => !path.endsWith('.test.ts')) };
}
const MAIN = { name: 'main', include: [] as readonly string[], exclude: [] as readonly string[] };
const OWN = 'test/unit/architecture-wall-time.test.ts';

/** The table as it must be, in the code of this file. */
const tableOf = (counts: Readonly<Record<string, number>>, known: Exceptions): string =>
  Object.entries(counts)
    .map(([path, count]) => `  '${path}': [${count}, '${known[path]?.[1] ?? 'REASON'}'],`)
    .join('\n');

function check(paths: readonly string[], known: Exceptions, most: number): void {
  const counts = countsOf(paths);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const expected = Object.fromEntries(Object.entries(known).map(([path, [count]]) => [path, count]));
  expect({ total, ...counts }, `The table must be (total ${total}):\n${tableOf(counts, known)}\n`).toEqual({
    total: most,
    ...expected,
  });
}

describe('wall time', () => {
  const { tests, modules } = filesOfGate();

  it('is not used by tests of the gate, apart from the exceptions', () => {
    expect(tests.length).toBeGreaterThan(400);
    check(tests, IN_TESTS, MOST_IN_TESTS);
  });

  it('is not used by the modules of these tests, apart from the exceptions', () => {
    expect(modules.length).toBeGreaterThan(100);
    check(modules, IN_SUPPORT, MOST_IN_SUPPORT);
  });

  it.each([
    ['const start = performance.now();', 1],
    ['clock: Date.now,', 1],
    ['process.hrtime.bigint()', 1],
    ['await sleep(20);', 1],
    ['await time.sleep(20);', 0],
    ['await new Promise((resolve) => setTimeout(resolve, 5));', 1],
    ["vi.useFakeTimers({ toFake: ['setTimeout'] });", 0],
    ["import { setTimeout as pause } from 'node:timers/promises';", 2],
    ["import timers from 'timers/promises';", 1],
    ["import { setImmediate as nextTurn } from 'node:timers/promises';", 0],
    ["import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';", 2],
    ["const { setTimeout: pause } = await import('node:timers/promises');", 1],
    ["import { sleep as pause } from '../../src/platform/timing.ts';", 1],
    ['// Date.now is not used', 0],
  ])('is found in %s', (line, count) => {
    expect(countOf(`${line}\n`)).toBe(count);
  });
});
