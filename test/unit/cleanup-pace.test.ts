import { expect, it } from 'vitest';
import type { BackgroundDatabase } from '../../src/platform/jobs/background.ts';
import { cleanup, PACE, pauseAfterBatch, type Batch } from '../../src/platform/jobs/cleanup.ts';
import { idleDatabase } from '../support/background.ts';
import { testTiming } from '../support/timing.ts';

const MINUTE_MS = 60_000;

it('rests four times as long as a batch took', () => {
  expect(pauseAfterBatch(PACE.mysql, 30, MINUTE_MS)).toBe(120);
  expect(pauseAfterBatch(PACE.sqlite, 7, 0)).toBe(28);
});

it('rests at least the shortest pause after short batches', () => {
  expect(pauseAfterBatch(PACE.mysql, 1, 0)).toBe(20);
  expect(pauseAfterBatch(PACE.sqlite, 1, 0)).toBe(8);
});

it.each(['sqlite', 'mysql'] as const)(
  'works half of the time on %s in a run that takes longer than its interval',
  (engine) => {
    expect(pauseAfterBatch(PACE[engine], 30, MINUTE_MS + 1)).toBe(30);
    expect(pauseAfterBatch(PACE[engine], 1, MINUTE_MS + 1)).toBe(1);
  },
);

it('pauses after each full batch for as long as it decides, and not after the last one', async () => {
  const time = testTiming();
  const batches = [30, 1, 50];
  const pauses: number[] = [];
  const remove = async ({ size }: Batch, { slices }: BackgroundDatabase) => {
    const batchMs = batches.shift();
    if (batchMs === undefined) return size - 1;
    await slices.run(() => time.sleep(batchMs));
    return size;
  };
  const cleaning = cleanup({
    database: idleDatabase('mysql', time),
    clock: () => 0,
    targets: [{ table: 'sessions', key: ['id'], expiresAt: ['expires_at'], remove }],
    timing: { now: time.now, sleep: (ms) => (pauses.push(ms), time.sleep(ms)) },
  });
  await time.advance(MINUTE_MS);
  // 200 rows in 30 ms are too many, but the least; after 1 ms, 400 are tried.
  expect(await cleaning).toBe(200 + 200 + 400 + 199);
  expect(pauses).toEqual([120, 20, 200]);
});

it('stops in a pause without another batch', async () => {
  const time = testTiming();
  const stopping = new AbortController();
  let batches = 0;
  const remove = async ({ size }: { readonly size: number }) => {
    batches += 1;
    return size;
  };
  const cleaning = cleanup({
    database: idleDatabase('sqlite', time),
    clock: () => 0,
    targets: [{ table: 'sessions', key: ['id'], expiresAt: ['expires_at'], remove }],
    signal: stopping.signal,
    timing: time,
  });
  await time.advance(1);
  expect(time.sleeping).toBe(1);
  stopping.abort();
  await Promise.all([cleaning, time.advance(0)]);
  expect(batches).toBe(1);
});
