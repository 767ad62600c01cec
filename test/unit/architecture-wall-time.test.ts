// No test of the gate measures or waits for wall time: it would be red on a busy machine. A duration that is tested is injected, a wait
// is for a state, and the rest is in `*.timed.test.ts`.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import config from '../../vitest.config.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const OWN = 'test/unit/architecture-wall-time.test.ts';

/** A file that may use wall time so many times, and why. */
type Exceptions = Readonly<Record<string, readonly [count: number, reason: string]>>;

/** Both lists only shrink. */
const IN_TESTS: Exceptions = {
  'test/gateway/raw-http-connections.test.ts': [2, 'still to be moved'],
  'test/gateway/raw-http.test.ts': [3, 'still to be moved'],
  'test/gateway/upload.test.ts': [6, 'still to be moved'],
  'test/rest/admin/audit-stream.test.ts': [3, 'still to be moved'],
  'test/rest/auth/aborted-logins.test.ts': [7, 'still to be moved'],
  'test/rest/auth/failure-limit.test.ts': [1, 'still to be moved'],
  'test/rest/auth/hash-queue.test.ts': [3, 'still to be moved'],
  'test/rest/auth/paced-refusals.test.ts': [2, 'still to be moved'],
  'test/rest/auth/revocations-heartbeat.test.ts': [3, 'still to be moved'],
  'test/rest/auth/revocations.test.ts': [11, 'still to be moved'],
  'test/rest/auth/session-limit.test.ts': [5, 'still to be moved'],
  'test/rest/business/image-fairness.test.ts': [7, 'still to be moved'],
  'test/rest/business/revoked-streams.test.ts': [2, 'still to be moved'],
  'test/rest/factors/passkey-login.test.ts': [1, 'still to be moved'],
  'test/rest/m2m/disclosure.test.ts': [1, 'still to be moved'],
  'test/rest/m2m/parsers.test.ts': [2, 'still to be moved'],
  'test/rest/mail/recovery.test.ts': [4, 'still to be moved'],
  'test/rpc/admin/races.test.ts': [2, 'still to be moved'],
  'test/rpc/business/files.test.ts': [3, 'still to be moved'],
  'test/rpc/declared-errors/declared-errors.test.ts': [4, 'still to be moved'],
  'test/rpc/pipeline/cancellation.test.ts': [4, 'still to be moved'],
  'test/rpc/pipeline/connections.test.ts': [4, 'still to be moved'],
  'test/rpc/pipeline/deadline.test.ts': [7, 'still to be moved'],
  'test/rpc/pipeline/grpc.test.ts': [2, 'still to be moved'],
  'test/rpc/pipeline/idle.test.ts': [1, 'still to be moved'],
  'test/rpc/pipeline/repeated-calls.test.ts': [1, 'still to be moved'],
  'test/rpc/rate-limit-redis.test.ts': [5, 'still to be moved'],
  'test/store/advance-together.test.ts': [5, 'still to be moved'],
  'test/store/by-primary-key.test.ts': [1, 'still to be moved'],
  'test/store/client-secret-store.test.ts': [1, 'still to be moved'],
  'test/store/database-tenant-scope.test.ts': [1, 'still to be moved'],
  'test/store/database.test.ts': [4, 'still to be moved'],
  'test/store/definitions.test.ts': [7, 'still to be moved'],
  'test/store/factors.test.ts': [1, 'still to be moved'],
  'test/store/group-commit.test.ts': [7, 'still to be moved'],
  'test/store/long-reads.test.ts': [1, 'still to be moved'],
  'test/store/objects.test.ts': [2, 'still to be moved'],
  'test/store/revocation-pages.test.ts': [3, 'still to be moved'],
  'test/store/role-checks.test.ts': [1, 'still to be moved'],
  'test/store/rotate-session.test.ts': [4, 'still to be moved'],
  'test/store/session-lists.test.ts': [1, 'still to be moved'],
  'test/store/settled-rotations.test.ts': [1, 'still to be moved'],
  'test/store/signing-keys.test.ts': [2, 'still to be moved'],
  'test/store/sqlite-lock.test.ts': [19, 'still to be moved'],
  'test/store/webhook-deliveries.test.ts': [1, 'still to be moved'],
  'test/store/webhook-failures.test.ts': [1, 'still to be moved'],
  'test/store/webhook-processes.test.ts': [2, 'still to be moved'],
  'test/tracing/export.test.ts': [2, 'still to be moved'],
};
const MOST_IN_TESTS = 163;

/** Modules that tests of the gate import. */
const IN_SUPPORT: Exceptions = {
  'client/test/unit/helpers.ts': [1, 'the times of a token are those of now'],
  'test/rest/m2m/clients.ts': [1, 'still to be moved'],
  'test/rpc/declared-errors/scene.ts': [1, 'still to be moved'],
  'test/rpc/explain/bearer-states.ts': [1, 'still to be moved'],
  'test/support/accounts.ts': [2, 'when a row was created'],
  'test/support/argon2.ts': [4, 'a remembered password still takes some time; polls for a state'],
  'test/support/audit-history/reader.ts': [4, 'of tests of faults'],
  'test/support/audit-history/run.ts': [15, 'of tests of faults'],
  'test/support/audit-history/services.ts': [6, 'of tests of faults'],
  'test/support/clock.ts': [1, 'the clock of a test starts at the time of the database'],
  'test/support/event-stream.ts': [6, 'polls for an event, which has the time of its arrival'],
  'test/support/increment-process.ts': [1, 'a process of its own, with a deadline'],
  'test/support/mysql-server.ts': [7, 'polls for the start and the stop of a server'],
  'test/support/outages.ts': [2, 'of tests of faults'],
  'test/support/redis-server.ts': [5, 'polls for the start of a server'],
  'test/support/service-process.ts': [7, 'of tests of processes'],
  'test/support/shop/customers.ts': [1, 'when a row was created'],
  'test/support/survivors.ts': [3, 'of tests of faults'],
};
const MOST_IN_SUPPORT = 68;

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
