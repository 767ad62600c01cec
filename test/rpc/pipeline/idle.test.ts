// A caller that keeps a stream waiting ends it before the deadline of the call.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bench, collect, GOOD, received, sent, TRANSPORTS, type Bench } from './echo-host.ts';
import { freezeTime, passTime, until } from '../../support/frozen-time.ts';
import { refusal } from '../../support/rpc-outcomes.ts';

const IDLE_MS = 400;
const MESSAGE = { text: '', chunk: Buffer.from('x') };

describe.each(TRANSPORTS)('idle streams over %s', (transport) => {
  let open: Bench;
  afterEach(async () => {
    vi.useRealTimers();
    await open?.close();
  });
  const start = async (maxTimeoutMs = 20_000) => {
    open = await bench(transport, { maxTimeoutMs: 50, streams: { maxTimeoutMs, idleMs: IDLE_MS, recheckMs: 20_000 } });
    await open.client.open({ text: '' });
    received.count = 0;
    sent.count = 0;
    freezeTime();
    return open.client;
  };

  /** An upload whose messages come at this interval once the one before was received. */
  async function* everyMs(ms: number, count = Infinity) {
    for (let part = 0; part < count; part += 1) {
      await until(() => received.count === part);
      if (part > 0) await passTime(ms);
      yield MESSAGE;
    }
  }

  it('ends an upload without data', async () => {
    const client = await start();
    const end = Promise.withResolvers<void>();
    async function* once() {
      yield MESSAGE;
      await end.promise;
    }
    const call = refusal(client.clientStream(once(), { ...GOOD, timeoutMs: 15_000 }));
    await until(() => received.count === 1);
    await passTime(IDLE_MS - 1);
    expect(open.outcomes.filter(([method]) => method === 'ClientStream')).toEqual([]);
    await passTime(1);
    const status = await call;
    expect([status.reason, status.message]).toEqual([
      'SERVICE_UNAVAILABLE',
      `The caller neither sent nor took a message for ${IDLE_MS} ms`,
    ]);
    end.resolve();
  });

  it('an upload with data may take longer than the limit, and than unary calls', async () => {
    const client = await start();
    const upload = everyMs(IDLE_MS - 1, 4);
    expect(await client.clientStream(upload, { ...GOOD, timeoutMs: 15_000 })).toEqual({ size: 4 });
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
    const stream = client.serverStream({ count: 500, size: 65_536, text: '' }, { timeoutMs: 20_000 });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    // Until a message waits for the reader.
    while (!open.outcomes.some(([method]) => method === 'ServerStream')) await passTime(IDLE_MS);
    expect(open.outcomes).toContainEqual(['ServerStream', 'SERVICE_UNAVAILABLE']);
    expect(sent.count).toBeLessThan(500);
    await iterator.return?.();
  });

  it('streams have a maximum duration', async () => {
    const client = await start(1_000);
    const status = await refusal(client.clientStream(everyMs(IDLE_MS / 8), { ...GOOD, timeoutMs: 10_000 }));
    expect([status.reason, status.message]).toEqual(['DEADLINE_EXCEEDED', 'The deadline passed']);
    await collect(client.serverStream({ count: 1, size: 1, text: '' }));
  });
});
