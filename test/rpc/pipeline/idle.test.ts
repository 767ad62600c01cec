// A caller that keeps a stream waiting ends it before the deadline of the call.
import { afterEach, describe, expect, it } from 'vitest';
import { bench, collect, GOOD, TRANSPORTS, type Bench } from './echo-host.ts';
import { refusal } from '../../support/rpc-outcomes.ts';

const IDLE_MS = 400;

describe.each(TRANSPORTS)('idle streams over %s', (transport) => {
  let open: Bench;
  afterEach(() => open?.close());
  const start = async (maxTimeoutMs = 20_000) => {
    open = await bench(transport, { maxTimeoutMs: 50, streams: { maxTimeoutMs, idleMs: IDLE_MS, recheckMs: 20_000 } });
    return open.client;
  };
  const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  it('ends an upload without data', async () => {
    const client = await start();
    async function* once() {
      yield { text: '', chunk: Buffer.from('x') };
      await later(5_000);
    }
    const status = await refusal(client.clientStream(once(), { ...GOOD, timeoutMs: 15_000 }));
    expect([status.reason, status.message]).toEqual([
      'SERVICE_UNAVAILABLE',
      `The caller neither sent nor took a message for ${IDLE_MS} ms`,
    ]);
  });

  it('an upload with data may take longer than the limit, and than unary calls', async () => {
    const client = await start();
    async function* slowly() {
      for (let part = 0; part < 12; part += 1) {
        await later(IDLE_MS / 8);
        yield { text: '', chunk: Buffer.from('x') };
      }
    }
    expect(await client.clientStream(slowly(), { ...GOOD, timeoutMs: 15_000 })).toEqual({ size: 12 });
  });

  it('a handler that processes received data is not idle', async () => {
    const client = await start();
    async function* all() {
      yield { text: 'enough', chunk: Buffer.from('x') };
    }
    expect(await client.clientStream(all(), GOOD)).toEqual({ size: 1 });
  });

  it('ends a download that is not read', async () => {
    const client = await start();
    const stream = client.serverStream({ count: 500, size: 65_536, text: '' }, { timeoutMs: 10_000 });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await expect.poll(() => open.outcomes, { timeout: 5_000 }).toEqual([['ServerStream', 'SERVICE_UNAVAILABLE']]);
    await iterator.return?.();
  });

  it('streams have a maximum duration', async () => {
    const client = await start(1_000);
    async function* forever() {
      for (;;) {
        await later(IDLE_MS / 8);
        yield { text: '', chunk: Buffer.from('x') };
      }
    }
    const status = await refusal(client.clientStream(forever(), { ...GOOD, timeoutMs: 10_000 }));
    expect([status.reason, status.message]).toEqual(['DEADLINE_EXCEEDED', 'The deadline passed']);
    await collect(client.serverStream({ count: 1, size: 1, text: '' }));
  });
});
