// Audit records that arrive while the screen is live: pauses, hidden tabs, and rows that list and stream have.
import { beforeAll, expect, it, vi } from 'vitest';
import type { AuditRecord } from '../../../client/src/operations.ts';
import { countNew, createLiveRecords, mergeRows, MOST_ROWS } from '../../src/console/audit/live-records.ts';

const MINUTE_MS = 60_000;
const recordOf = (number: number, at = 0) =>
  ({ id: `record-${number}`, at: new Date(at).toISOString() }) as AuditRecord;
const idsOf = (records: readonly AuditRecord[]) => records.map(({ id }) => Number(id.slice('record-'.length)));
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A stream of the numbers after a cursor, as far as the service has them. */
function service() {
  let last = 0;
  let wake = () => {};
  const opened: (string | undefined)[] = [];
  return {
    opened,
    /** How far the stream was read. */
    read: 0,
    /** The time of its records. By default, all are from before a resumption. */
    at: 0,
    async seal(count: number) {
      last += count;
      wake();
      await settled();
    },
    async *follow(options: Parameters<Parameters<typeof createLiveRecords>[0]>[0]) {
      const { after, signal, onConnection } = options;
      let place = Number(after ?? last);
      opened.push(after);
      onConnection('open', String(place));
      while (!signal.aborted) {
        for (; place < last; this.read = place) {
          place += 1;
          yield { record: recordOf(place, this.at), cursor: String(place) };
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    },
  };
}

function open(beforeFrame: (draw: () => void) => unknown = queueMicrotask) {
  const shop = service();
  const time = { now: MINUTE_MS };
  const live = createLiveRecords((options) => shop.follow(options), { clock: () => time.now, beforeFrame });
  live.setRunning(true);
  return {
    shop,
    time,
    live,
    shown: () => idsOf(live.state.value.shown),
    waiting: () => live.state.value.waiting.length,
  };
}

beforeAll(() => void vi.useRealTimers());

it('shows new records, the newest first, and keeps a bounded number', async () => {
  const { shop, live, shown } = open();
  await shop.seal(3);
  expect([shown(), live.state.value.connection, live.state.value.arrived]).toEqual([[3, 2, 1], 'open', 3]);
  await shop.seal(MOST_ROWS);
  expect([shown().length, shown()[0]]).toEqual([MOST_ROWS, MOST_ROWS + 3]);
});

it('lets records wait during a pause, and reads no further than they have room', async () => {
  const { shop, live, shown, waiting } = open();
  await shop.seal(1);
  live.setPaused(true);
  await shop.seal(3 * MOST_ROWS);
  expect([shown(), waiting()]).toEqual([[1], MOST_ROWS]);
  expect(shop.read).toBeLessThanOrEqual(MOST_ROWS + 1);
  live.show();
  await settled();
  expect([shown()[0], waiting()]).toEqual([MOST_ROWS + 1, MOST_ROWS]);
  live.setPaused(false);
  await settled();
  expect([shown()[0], shown().length, waiting()]).toEqual([3 * MOST_ROWS + 1, MOST_ROWS, 0]);
  expect(live.state.value.arrived).toBe(3 * MOST_ROWS + 1);
});

it('goes on after the last record when a hidden tab is shown again, also if it was paused and full', async () => {
  const { shop, live, shown, waiting } = open();
  await shop.seal(2);
  live.setRunning(false);
  await shop.seal(2);
  expect(shown()).toEqual([2, 1]);
  live.setRunning(true);
  live.setRunning(true);
  await settled();
  expect([shown(), shop.opened]).toEqual([
    [4, 3, 2, 1],
    [undefined, '2'],
  ]);
  live.setPaused(true);
  await shop.seal(MOST_ROWS + 10);
  live.setRunning(false);
  await settled();
  live.setPaused(false);
  expect(waiting()).toBe(0);
  live.setRunning(true);
  await settled();
  expect(shown().slice(0, 11)).toEqual(Array.from({ length: 11 }, (_, index) => MOST_ROWS + 14 - index));
  expect(new Set(shown()).size).toBe(MOST_ROWS);
});

it('goes on where it began if a tab was hidden before the first record', async () => {
  const { shop, live, shown } = open();
  await settled();
  live.setRunning(false);
  await shop.seal(1);
  live.setRunning(true);
  await settled();
  expect([shown(), shop.opened]).toEqual([[1], [undefined, '0']]);
});

it.each([
  [MINUTE_MS, [1, 2, 3], '1', 1],
  [MINUTE_MS + 1, [3], undefined, 2],
])('shows a tab again after %i ms: the records %j', async (hiddenMs, expected, after, beginnings) => {
  const { shop, time, live, shown } = open();
  await shop.seal(1);
  live.setRunning(false);
  await shop.seal(1);
  time.now += hiddenMs;
  live.setRunning(true);
  await settled();
  await shop.seal(1);
  expect([shown().toReversed(), shop.opened.at(-1), live.state.value.beginnings]).toEqual([
    expected,
    after,
    beginnings,
  ]);
});

it.each([
  ['show', MINUTE_MS, 1],
  ['show', MINUTE_MS + 1, 2],
  ['resume', MINUTE_MS + 1, 2],
])(
  'begins at the present if too many wait for more than a minute: %s after %i ms',
  async (act, waitedMs, beginnings) => {
    const { shop, time, live, shown, waiting } = open();
    live.setPaused(true);
    await shop.seal(2 * MOST_ROWS - 1);
    time.now += waitedMs;
    if (act === 'show') live.show();
    else live.setPaused(false);
    await settled();
    const read = beginnings === 1 ? [MOST_ROWS, MOST_ROWS - 1] : [0, 0];
    expect([shown().length, waiting(), live.state.value.beginnings]).toEqual([...read, beginnings]);
  },
);

it.each([
  ['1,000 records', 1_000, 0, 1],
  ['1,001 records', 1_001, 0, 2],
  ['1,001 records that are newer than the resumption', 1_001, MINUTE_MS, 1],
])('resumes before %s', async (_, count, at, beginnings) => {
  const { shop, live, shown } = open();
  await settled();
  live.setRunning(false);
  shop.at = at;
  await shop.seal(count);
  live.setRunning(true);
  await settled();
  expect([shown().length, live.state.value.beginnings]).toEqual([beginnings === 1 ? MOST_ROWS : 0, beginnings]);
  shop.at = MINUTE_MS;
  await shop.seal(1);
  expect(shown()[0]).toBe(count + 1);
});

it('shows the records of a frame together, and keeps none back when it is paused, hidden, or draws no frames', async () => {
  const frames: (() => void)[] = [];
  const { shop, live, shown, waiting } = open((draw) => frames.push(draw));
  await shop.seal(3);
  expect([shown(), frames.length]).toEqual([[], 1]);
  frames[0]!();
  expect(shown()).toEqual([3, 2, 1]);
  await shop.seal(1);
  live.setPaused(true);
  await shop.seal(1);
  live.setRunning(false);
  expect([shown().length, waiting(), live.state.value.arrived]).toEqual([4, 1, 5]);
  live.setPaused(false);
  live.setRunning(true);
  await shop.seal(MOST_ROWS + 1);
  expect(shown()[0]).toBe(MOST_ROWS + 5);
});

it('says why the service refuses', async () => {
  const refusal = new Error('refused');
  const live = createLiveRecords(() => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(refusal) }) }));
  live.setRunning(true);
  await settled();
  expect(live.state.value.error).toBe(refusal);
});

it('merges list and stream, and each record is there once', () => {
  const [listed, shown, waiting] = [
    [3, 2, 1],
    [4, 3],
    [5, 2],
  ].map((numbers) => numbers.map(recordOf));
  expect(idsOf(mergeRows(shown!, listed!))).toEqual([4, 3, 2, 1]);
  expect(countNew(waiting!, listed!)).toBe(1);
});
