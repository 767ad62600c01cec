// How jobs share the process with calls.
import { describe, expect, it } from 'vitest';
import { createSlices, LATE_AFTER_MS, SLICE_MS } from '../../src/platform/jobs/slices.ts';
import { createBackground } from '../../src/platform/jobs/background.ts';
import type { Database, Statements } from '../../src/platform/db/types.ts';
import { testTiming } from '../support/timing.ts';

/** The slices of a process whose event loop is busy or not. `blocks` are the times in which jobs kept it, without a pause between. */
function stage({ isBusy = false, areWaiting = false, maxConcurrent = 1 } = {}) {
  const time = testTiming();
  const load = { isBusy, areWaiting };
  const blocks: { readonly from: number; to: number }[] = [];
  const calls = { areWaiting: () => load.areWaiting, isLoopBusy: () => load.isBusy };
  const slices = createSlices({ maxConcurrent, calls, timing: time });
  const unit = (ms: number) => async () => {
    const from = time.now();
    await time.sleep(ms);
    const last = blocks.at(-1);
    if (last?.to === from) last.to = time.now();
    else blocks.push({ from, to: time.now() });
  };
  /** A job that has work for so long. */
  async function work(ms: number, unitMs: number): Promise<number> {
    let units = 0;
    for (; time.now() < ms; units += 1) await slices.run(unit(unitMs), { isExclusive: true });
    return units;
  }
  const lengths = () => blocks.map(({ from, to }) => to - from);
  return { time, load, slices, blocks, unit, work, lengths };
}

describe('slices', () => {
  it('are at most 5 ms long, with pauses of the same length if no call waits', async () => {
    const { time, work, lengths } = stage();
    const working = work(1_000, 1.5);
    await time.advance(1_100);
    expect(Math.max(...lengths())).toBe(3);
    expect(lengths().reduce((sum, ms) => sum + ms) / 1_000).toBeCloseTo(0.5, 2);
    await working;
  });

  it('leave four fifths of the time to calls that wait, and half of it once the jobs are late', async () => {
    const { time, work, blocks } = stage({ isBusy: true });
    const working = work(2 * LATE_AFTER_MS, 2);
    await time.advance(2 * LATE_AFTER_MS + 100);
    await working;
    const usedBefore = (from: number, to: number) =>
      blocks
        .filter((block) => block.from >= from && block.to <= to)
        .reduce((sum, block) => sum + block.to - block.from, 0);
    expect(usedBefore(0, LATE_AFTER_MS) / LATE_AFTER_MS).toBeCloseTo(0.2, 2);
    expect(usedBefore(LATE_AFTER_MS, 2 * LATE_AFTER_MS) / LATE_AFTER_MS).toBeCloseTo(0.5, 1);
  });

  it('are not late after a gap', async () => {
    const { time, slices, unit, lengths } = stage({ isBusy: true });
    for (let run = 0; run < 100; run += 1) {
      const running = slices.run(unit(4), { isExclusive: true });
      await time.advance(50);
      await running;
    }
    expect(time.now()).toBe(5_000);
    expect(lengths()).toEqual(Array.from({ length: 100 }, () => 4));
    const more = [slices.run(unit(4), { isExclusive: true }), slices.run(unit(4), { isExclusive: true })];
    await time.advance(4 + 15);
    expect(lengths()).toHaveLength(101);
    await time.advance(5);
    await Promise.all(more);
    expect(lengths()).toHaveLength(102);
  });

  it('end when calls stop waiting', async () => {
    const { time, load, slices, unit, lengths } = stage({ isBusy: true });
    const both = [slices.run(unit(3), { isExclusive: true }), slices.run(unit(3), { isExclusive: true })];
    await time.advance(5);
    load.isBusy = false;
    await time.advance(4);
    await Promise.all(both);
    expect(lengths()).toEqual([3, 3]);
  });

  it('are given to jobs in turn', async () => {
    const { time, slices, unit } = stage();
    const order: string[] = [];
    const job = async (name: string) => {
      for (let index = 0; index < 3; index += 1) {
        await slices.run(unit(1), { isExclusive: true });
        order.push(name);
      }
    };
    const jobs = [job('seals'), job('mails')];
    await time.advance(100);
    await Promise.all(jobs);
    expect(order.join(' ')).toBe('seals mails seals mails seals mails');
  });

  it('count the time of a unit from the moment at which it has stopped waiting, also of one that fails', async () => {
    const { time, slices } = stage();
    const counted: number[] = [];
    const failing = slices.run(
      async (begin) => {
        await time.sleep(40);
        begin();
        await time.sleep(2);
        throw new Error('refused');
      },
      { isExclusive: true },
      (ms) => counted.push(ms),
    );
    await Promise.all([expect(failing).rejects.toThrow('refused'), time.advance(50)]);
    expect(counted).toEqual([2]);
    const next = slices.run(async () => 'next', { isExclusive: true });
    await time.advance(0);
    expect(await next).toBe('next');
  });

  it('on a server let calls have the connections first, but not for ever', async () => {
    const { time, load, slices, unit, blocks } = stage({ areWaiting: true, maxConcurrent: 2 });
    const units = [1, 2, 3].map(() => slices.run(unit(10), { isExclusive: false }));
    await time.advance(20);
    load.areWaiting = false;
    await time.advance(20);
    await Promise.all(units);
    expect(blocks[0]!.from).toBe(4);
    expect(blocks.at(-1)!.to).toBe(28);
  });
});

describe('the database of a job', () => {
  function background(engine: Database['engine']) {
    const time = testTiming();
    const sql: string[] = [];
    const statement = async (text: string) => {
      sql.push(`${text} at ${time.now()}`);
      await time.sleep(3);
    };
    const statements: Statements = {
      query: async (text) => (await statement(text), []),
      execute: async (text) => (await statement(text), 1),
    };
    const database = {
      ...statements,
      engine,
      poolState: () => ({ used: 0, idle: 0, waiting: 0, max: 8 }),
      transaction: async (_deadline: unknown, work: (tx: Statements) => Promise<unknown>) => {
        await time.sleep(20);
        return work(statements);
      },
    };
    const calls = { areWaiting: () => false, isLoopBusy: () => true };
    return { time, sql, database: createBackground(database as never, time, calls) };
  }

  it('gives calls time between any two statements and transactions on SQLite', async () => {
    const { time, sql, database } = background('sqlite');
    const done = (async () => {
      await database.query('SELECT 1');
      await database.execute('DELETE 2');
      await database.transaction({} as never, (tx) => tx.execute('UPDATE 3'));
      await database.slices.run(async () => void sql.push(`run at ${time.now()}`));
    })();
    await time.advance(1_000);
    await done;
    // 3 ms of work, 12 ms of pause, 20 ms until the writes of calls are done.
    expect(sql).toEqual(['SELECT 1 at 0', 'DELETE 2 at 35', 'UPDATE 3 at 70', 'run at 85']);
    expect(database.slices.usedMs).toBe(9);
  });

  it('runs statements of several jobs at the same time on a server', async () => {
    const { time, sql, database } = background('mysql');
    const done = Promise.all(['A', 'B', 'C'].map((text) => database.query(text)));
    await time.advance(100);
    await done;
    expect(sql.toSorted()).toEqual(['A at 0', 'B at 0', 'C at 3']);
  });

  it.each(['sqlite', 'mysql'] as const)('computes results in slices of at most 5 ms (%s)', async (engine) => {
    const { time, database } = background(engine);
    // A clock that moves by half a millisecond whenever it is asked.
    let asked = 0;
    const moving = { ...time, now: () => time.now() + (asked += 0.5) };
    const calls = { areWaiting: () => false, isLoopBusy: () => false };
    const { slices } = createBackground({ ...database, slices: undefined } as never, moving, calls);
    const began: number[] = [];
    const computing = slices.map(
      Array.from({ length: 40 }, (_, index) => index),
      (item, index) => {
        began.push(time.now());
        return `${item} ${index}`;
      },
    );
    await time.advance(1_000);
    expect((await computing).at(-1)).toBe('39 39');
    const perSlice = [...Map.groupBy(began, (at) => at).values()].map(({ length }) => length);
    expect(Math.max(...perSlice)).toBeLessThanOrEqual(SLICE_MS / 0.5);
    expect(perSlice.length).toBeGreaterThan(3);
  });
});
