// The loop of all jobs: when batches follow each other, and when they stop.
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  intervalJob,
  NOTHING,
  OutdatedBatchError,
  type IntervalJobOptions,
} from '../../src/platform/jobs/interval-job.ts';
import { idleDatabase } from '../support/background.ts';

const INTERVAL_MS = 1_000;
const LEASE_MS = 40_000;

let time = 0;
/** The statements on leases: how often each was executed, and how many rows it changes. */
let executed: string[] = [];
let changes: Record<string, number> = {};
let lines: { readonly level: number; readonly msg: string; readonly err?: object }[] = [];
/** The results of the next batches. */
let batches: (() => Promise<{ readonly count: number; readonly hasMore: boolean }>)[] = [];
let begun = 0;
/** Why `begin` finds no work. */
let isIdle = false;

const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
const timing = { now: () => time, sleep: async () => {} };
const batch = (count: number, hasMore: boolean) => async () => ({ count, hasMore });

/** take, renew or release. */
const kindOf = (sql: string) =>
  sql.includes('expires_at = 0') ? 'release' : sql.includes('expires_at <= ?') ? 'take' : 'renew';

function createJob(options: Partial<IntervalJobOptions<object>> = {}) {
  const idle = idleDatabase('sqlite', timing);
  const execute = async (sql: string) => {
    const kind = kindOf(sql);
    executed.push(kind);
    return changes[kind] ?? 1;
  };
  // The lease of another process exists.
  const query = async <R>() => [{ one: 1 }] as R[];
  return intervalJob<object>({
    name: 'test',
    database: { ...idle, execute, query },
    clock: () => time,
    intervalMs: INTERVAL_MS,
    lease: { durationMs: LEASE_MS, heldFor: 'run' },
    begin: async () => {
      begun += 1;
      return isIdle ? undefined : {};
    },
    batch: async () => (await batches.shift()?.()) ?? NOTHING,
    failure: 'failed, the next interval tries again',
    timing,
    ...options,
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  [time, executed, changes, lines, batches, begun, isIdle] = [0, [], {}, [], [], 0, false];
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a run', () => {
  it('goes on while there is more, and renews its lease when a quarter of it has passed', async () => {
    batches = [
      batch(3, true),
      async () => ((time += LEASE_MS / 4), { count: 2, hasMore: true }),
      batch(1, false),
      batch(9, false),
    ];
    expect(await createJob().run()).toBe(6);
    expect(executed).toEqual(['take', 'renew', 'release']);
  });

  it('takes no lease if there is nothing to do', async () => {
    isIdle = true;
    expect(await createJob().run()).toBe(0);
    expect(executed).toEqual([]);
  });

  it('does nothing while another process holds the lease', async () => {
    changes['take'] = 0;
    batches = [batch(1, false)];
    expect(await createJob().run()).toBeUndefined();
    expect(batches).toHaveLength(1);
  });

  it('ends when another process takes the lease, and a batch can ask for it', async () => {
    const held: boolean[] = [];
    changes['renew'] = 0;
    const job = createJob({
      async batch(_, { renew }) {
        time += LEASE_MS;
        held.push(await renew());
        return { count: 1, hasMore: true };
      },
    });
    expect(await job.run()).toBe(1);
    expect(held).toEqual([false]);
  });

  it.each([
    ['run', ['take', 'release', 'take', 'release', 'take', 'release']],
    ['complete-run', ['take', 'take', 'take', 'release']],
    ['job', ['take']],
  ] as const)('releases a lease that is held for the %s', async (heldFor, expected) => {
    const job = createJob({ lease: { durationMs: LEASE_MS, heldFor } });
    batches = [() => Promise.reject(new Error('down')), batch(1, true), batch(1, false)];
    await expect(job.run()).rejects.toThrow('down');
    expect(await job.run(AbortSignal.abort())).toBe(1);
    expect(await job.run()).toBe(1);
    expect(executed).toEqual(expected);
    await job.release();
    expect(executed.at(-1)).toBe('release');
  });

  it('ends without a failure if another process has done its work, where the lease only saves work', async () => {
    const outdated = () => Promise.reject(new OutdatedBatchError());
    batches = [batch(2, true), outdated, outdated];
    expect(await createJob({ lease: { durationMs: LEASE_MS, heldFor: 'job' } }).run()).toBe(2);
    await expect(createJob().run()).rejects.toThrow(OutdatedBatchError);
  });

  it('runs in each process without a lease', async () => {
    batches = [batch(1, true), batch(1, false)];
    expect(await createJob({ lease: undefined }).run()).toBe(2);
    expect(executed).toEqual([]);
  });

  it('only looks for work in the pause after failures, which a batch ends', async () => {
    const failing = () => Promise.reject(new Error('down'));
    batches = [failing, failing, batch(1, true), failing];
    const failures: number[] = [];
    const job = createJob({
      pauseAfter(run) {
        failures.push(run.failures);
        return run.failures * 1_000;
      },
    });
    const run = () => job.run().catch(() => 'failed');
    expect([await run(), await run()]).toEqual(['failed', 0]);
    time += 1_000;
    expect(await run()).toBe('failed');
    time += 1_999;
    expect(await run()).toBe(0);
    expect(begun).toBe(4);
    time += 1;
    expect(await run()).toBe('failed');
    expect(failures).toEqual([1, 2, 1]);
  });
});

describe('a started job', () => {
  it('runs at each interval, numbers its runs, and reports their rows', async () => {
    const numbers: number[] = [];
    const counts: number[] = [];
    batches = [batch(2, false), batch(3, false)];
    const running = createJob({
      begin: async (number) => {
        numbers.push(number);
        return {};
      },
      onRun: (count) => void counts.push(count),
    }).start(log);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS - 1);
    expect(numbers).toEqual([]);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS + 1);
    expect([numbers, counts]).toEqual([
      [0, 1],
      [2, 3],
    ]);
    await running.stop();
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect(numbers).toEqual([0, 1]);
  });

  it('skips intervals while a run takes longer, and logs a failure', async () => {
    const ended = Promise.withResolvers<never>();
    batches = [() => ended.promise];
    const running = createJob().start(log);
    await vi.advanceTimersByTimeAsync(3 * INTERVAL_MS);
    expect(begun).toBe(1);
    ended.reject(new Error('down'));
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect(begun).toBe(2);
    expect(lines).toMatchObject([{ level: 40, err: {}, msg: 'failed, the next interval tries again' }]);
    await running.stop();
  });

  it('stops after the current batch, which may continue for a time, and releases a kept lease', async () => {
    const ended = Promise.withResolvers<void>();
    let signal: AbortSignal | undefined;
    let isStopped = false;
    const running = createJob({
      lease: { durationMs: LEASE_MS, heldFor: 'job' },
      graceMs: 3_000,
      async batch(_, context) {
        signal = context.signal;
        await ended.promise;
        return { count: 1, hasMore: true };
      },
      onStop: async () => void (isStopped = true),
    }).start(log);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    const stopping = running.stop();
    await vi.advanceTimersByTimeAsync(2_999);
    expect(signal!.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect([signal!.aborted, isStopped]).toEqual([true, false]);
    ended.resolve();
    await stopping;
    expect([begun, isStopped, executed]).toEqual([1, true, ['take', 'release']]);
  });

  it('aborts the current batch at the stop', async () => {
    const running = createJob({
      batch: (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ count: 1, hasMore: true }))),
    }).start(log);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    await running.stop();
    expect(begun).toBe(1);
  });

  it('runs soon after it is woken, once, and after the current run', async () => {
    const job = createJob({ wakeMs: 50 });
    job.wake();
    const running = job.start(log);
    await vi.advanceTimersByTimeAsync(60);
    expect(begun).toBe(0);
    job.wake();
    await vi.advanceTimersByTimeAsync(40);
    job.wake();
    await vi.advanceTimersByTimeAsync(10);
    expect(begun).toBe(1);
    const ended = Promise.withResolvers<void>();
    batches = [() => ended.promise.then(() => NOTHING)];
    job.wake();
    await vi.advanceTimersByTimeAsync(50);
    job.wake();
    await vi.advanceTimersByTimeAsync(100);
    expect(begun).toBe(2);
    ended.resolve();
    await vi.advanceTimersByTimeAsync(50);
    expect(begun).toBe(3);
    job.wake();
    await running.stop();
    job.wake();
    await vi.advanceTimersByTimeAsync(50);
    expect(begun).toBe(3);
  });

  it('runs now, after the current run', async () => {
    const ended = Promise.withResolvers<void>();
    batches = [() => ended.promise.then(() => NOTHING)];
    const running = createJob().start(log);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    const runs = Promise.all([running.runNow(), running.runNow()]);
    expect(begun).toBe(1);
    ended.resolve();
    await runs;
    expect(begun).toBe(2);
    await running.stop();
    await running.runNow();
    expect(begun).toBe(3);
  });
});

it('shows the age of the oldest work', () => {
  let since = Infinity;
  const [metric] = createJob({ lag: { name: 'lag_seconds', help: 'Age.', since: () => since } }).metrics;
  expect(metric!.read()).toEqual([{ value: 0 }]);
  [time, since] = [9_000, 4_000];
  expect(metric!.read()).toEqual([{ value: 5 }]);
  expect(metric!.aggregator).toBe('max');
});
