// Exchanges under the lock, in the order of their steps.
import { expect, it } from 'vitest';
import type { Channel } from '../../src/channel.ts';
import { createExchanges } from '../../src/exchange.ts';
import type { Lock } from '../../src/lock.ts';
import { turnsUntil } from './helpers.ts';

it('reads the messages of the holder before it, and releases the lock after its own have left the tab', async () => {
  const steps: string[] = [];
  const channel: Channel = {
    send: ({ type }) => void steps.push(String(type)),
    listen: () => () => undefined,
    async fence() {
      await new Promise<void>((resolve) => void setImmediate(resolve));
      steps.push('mark received');
    },
    close: () => undefined,
  };
  const lock: Lock = {
    async run(work) {
      steps.push('locked');
      const result = await work();
      steps.push('released');
      return result;
    },
  };
  const nothing = () => undefined;
  const unfinished = { remainingMs: () => 0, begin: nothing, end: nothing, leave: nothing };
  const runExchange = createExchanges({ lock, channel, unfinished, roundTripMs: 1_000, longestMs: 1_000 });
  const call = async () => {
    steps.push('called');
  };
  await runExchange({ call, outlivesHold: false, done: () => channel.send({ type: 'ended', sessionId: undefined }) });
  await turnsUntil(() => steps.includes('released'));
  const exchange = ['started', 'called', 'ended'];
  expect(steps).toEqual(['locked', 'mark received', ...exchange, 'mark received', 'released']);
});
