import { expect, it } from 'vitest';
import { pump } from '../../src/platform/rpc/pipeline/streams.ts';

it('ends when the signal aborts, although a write never settles', async () => {
  let isClosed = false;
  async function* messages() {
    try {
      for (;;) yield 'message';
    } finally {
      isClosed = true;
    }
  }
  const caller = new AbortController();
  const begun = Promise.withResolvers<void>();
  const pumping = pump(messages(), caller.signal, () => {
    begun.resolve();
    return new Promise<void>(() => undefined);
  });
  await begun.promise;
  caller.abort();
  await pumping;
  expect(isClosed).toBe(true);
});
