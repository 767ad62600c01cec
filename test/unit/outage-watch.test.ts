import { afterEach, expect, it } from 'vitest';
import { pino } from 'pino';
import { createOutageWatch, type OutageWatch } from '../../src/platform/process/outage-watch.ts';
import { testTiming } from '../support/timing.ts';

let watch: OutageWatch;
afterEach(() => watch.close());

function start() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) });
  const state: { problem: string | undefined } = { problem: undefined };
  const timing = testTiming();
  watch = createOutageWatch({ name: 'the core', probe: async () => state.problem, log, timing });
  return { state, timing, lines };
}

it('logs the start and the end of an outage once, whatever fails meanwhile', async () => {
  const { state, timing, lines } = start();
  await timing.advance(60_000);
  expect(lines).toEqual([]);
  state.problem = 'nothing listens there';
  expect(await Promise.all(Array.from({ length: 27 }, () => watch.check()))).toEqual(
    Array.from({ length: 27 }, () => 'nothing listens there'),
  );
  await timing.advance(30_000);
  expect(lines).toEqual([{ level: 50, reason: 'nothing listens there', msg: 'the core cannot be used, not ready' }]);
  state.problem = undefined;
  await timing.advance(1_000);
  expect(lines.slice(1)).toEqual([{ level: 30, seconds: 31, msg: 'the core can be used again' }]);
});

it('finds an outage without a caller, and logs each of its reasons once', async () => {
  const { state, timing, lines } = start();
  for (const reason of ['no name', 'refused', 'no name']) {
    state.problem = reason;
    await timing.advance(6_000);
  }
  expect(lines.map(({ reason }) => reason)).toEqual(['no name', 'refused']);
  state.problem = undefined;
  await timing.advance(5_000);
  state.problem = 'no name';
  await timing.advance(6_000);
  expect(lines.map(({ reason, msg }) => reason ?? msg)).toEqual([
    'no name',
    'refused',
    'the core can be used again',
    'no name',
  ]);
});

it('logs nothing if only one check fails, because the process has stalled', async () => {
  const { state, timing, lines } = start();
  await timing.advance(7_000);
  state.problem = 'no answer within 1500 ms';
  expect(await watch.check()).toBe('no answer within 1500 ms');
  state.problem = undefined;
  await timing.advance(60_000);
  expect(lines).toEqual([]);
});

it('ends with its process', async () => {
  const { state, timing, lines } = start();
  watch.close();
  state.problem = 'the process stops';
  await timing.advance(60_000);
  expect(timing.sleeping).toBe(0);
  expect(lines).toEqual([]);
});
