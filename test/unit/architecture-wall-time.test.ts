// No test of the gate measures or waits for wall time: it would be red on a busy machine. A duration that is tested is injected, a wait
// is for a state, and the rest is in `*.timed.test.ts`.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import config from '../../vitest.config.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OWN = 'test/unit/architecture-wall-time.test.ts';

/** Modules beside the tests that may use wall time so many times, and why. The list only shrinks. */
const IN_MODULES: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  'client/test/unit/helpers.ts': [1, 'the times of a token are those of now'],
  'client/test/unit/made-up-browser.ts': [1, 'reads the time that the test has set'],
  'test/rest/m2m/clients.ts': [1, 'when a row was created'],
  'test/rpc/declared-errors/scene.ts': [1, 'a time of tomorrow'],
  'test/rpc/explain/bearer-states.ts': [1, 'a time in the past'],
  'test/support/accounts.ts': [2, 'when a row was created'],
  'test/support/argon2.ts': [4, 'a remembered password still takes some time; polls for a state'],
  'test/support/audit-history/reader.ts': [5, 'of tests of faults'],
  'test/support/audit-history/run.ts': [16, 'of tests of faults'],
  'test/support/audit-history/services.ts': [6, 'of tests of faults'],
  'test/support/claim-process.ts': [1, 'a process of its own, with claims that are still valid'],
  'test/support/clock.ts': [1, 'the clock of a test starts at the time of the database'],
  'test/support/deadlines.ts': [1, 'a deadline of a call'],
  'test/support/event-stream.ts': [6, 'polls for an event, which has the time of its arrival'],
  'test/support/increment-process.ts': [1, 'a process of its own, with a deadline'],
  'test/support/mysql-server.ts': [7, 'polls for the start and the stop of a server'],
  'test/support/outages.ts': [2, 'of tests of faults'],
  'test/support/redis-server.ts': [5, 'polls for the start of a server'],
  'test/support/reporter.ts': [2, 'shows how long a run takes'],
  'test/support/service-process.ts': [7, 'of tests of processes'],
  'test/support/shop/customers.ts': [1, 'when a row was created'],
  'test/support/smtp-server.ts': [1, 'an answer that comes piece by piece'],
  'test/support/survivors.ts': [3, 'of tests of faults'],
};

const COMMENTS = /^\s*(?:\/\/|\*|\/\*).*$/gm;
const USES: readonly RegExp[] = [
  /\bperformance\.now\b/g,
  /\bDate\.now\b/g,
  /\bhrtime\b/g,
  // Not the `sleep` of a clock that the test advances.
  /(?<![.\w])sleep\(/g,
  /(?<![.\w])(?:globalThis\.)?set(?:Timeout|Interval)\(/g,
  /\bAbortSignal\.timeout\(/g,
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

interface Project {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** The tests of the project `main`, and the modules beside them. */
function filesOfGate() {
  const projects = config.test!.projects!.map((project) => (project as { readonly test: Project }).test);
  const { include, exclude } = projects.find(({ name }) => name === 'main')!;
  const find = (patterns: readonly string[]) => globSync(patterns, { cwd: ROOT, exclude });
  const tests = find(include).filter((path) => path !== OWN);
  const modules = include.map((pattern) => pattern.replace('*.test.ts', '*.ts'));
  return { tests, modules: find(modules).filter((path) => !path.endsWith('.test.ts')) };
}

/** The table as it must be, in the code of this file. */
const tableOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([path, count]) => `  '${path}': [${count}, '${IN_MODULES[path]?.[1] ?? 'REASON'}'],`)
    .join('\n');

describe('wall time', () => {
  const { tests, modules } = filesOfGate();

  it('is not used by tests of the gate', () => {
    expect(tests.length).toBeGreaterThan(400);
    expect(countsOf(tests)).toEqual({});
  });

  it('is not used by the modules of these tests, apart from the exceptions', () => {
    expect(modules.length).toBeGreaterThan(100);
    const counts = countsOf(modules);
    expect(counts, `The table must be:\n${tableOf(counts)}\n`).toEqual(
      Object.fromEntries(Object.entries(IN_MODULES).map(([path, [count]]) => [path, count])),
    );
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
    ['setInterval(() => response.write(text), 20);', 1],
    ['signal: AbortSignal.timeout(50)', 1],
    ['// Date.now is not used', 0],
  ])('is found in %s', (line, count) => {
    expect(countOf(`${line}\n`)).toBe(count);
  });
});
