// Calls that end before their response is complete: deadlines, cancellation, aborted uploads; and back-pressure.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bench, collect, GOOD, sent, TRANSPORTS, type Bench } from './echo-host.ts';
import { inMs } from '../../support/deadlines.ts';
import { eventually } from '../../support/eventually.ts';
import { freezeTime, passTime, until, untilSettled } from '../../support/frozen-time.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { refusal } from '../../support/rpc-outcomes.ts';

const request = (text = '') => ({ text, number: 1, note: undefined });
const chunk = (text = '', size = 10) => ({ text, chunk: Buffer.alloc(size) });

describe.each(TRANSPORTS)('over %s', (transport) => {
  let b: Bench;
  beforeAll(async () => {
    b = await bench(transport);
    // Short deadlines are for calls, not for the first connection.
    await b.client.open({ text: '' });
  });
  afterAll(() => b.close());
  afterEach(() => vi.useRealTimers());
  beforeEach(() => {
    for (const list of [b.calls, b.credentials, b.outcomes, b.logged]) list.length = 0;
  });

  const TIMEOUT_MS = 200;
  /** Passes the time of a call. Over gRPC, the core ends it somewhat earlier than the caller. */
  const passTimeout = () => passTime(transport === 'grpc' ? 0.9 * TIMEOUT_MS : TIMEOUT_MS);

  describe('deadlines and cancellation', () => {
    it('reports DEADLINE_EXCEEDED if the handler hangs', async () => {
      freezeTime();
      const call = refusal(b.client.unary(request('hang'), { ...GOOD, timeoutMs: TIMEOUT_MS }));
      await until(() => b.calls.length === 1);
      await passTimeout();
      const { reason, retryAfterMs, dependency } = await call;
      vi.useRealTimers();
      expect([reason, retryAfterMs, dependency]).toEqual(['DEADLINE_EXCEEDED', undefined, undefined]);
      await eventually(() => expect(b.outcomes).toEqual([['Unary', 'DEADLINE_EXCEEDED']]));
      const lines = b.logged.filter(({ reason }) => reason === 'DEADLINE_EXCEEDED');
      expect(lines.map(({ level }) => level)).toEqual([30]);
    });

    it('names the authentication as dependency if that hangs', async () => {
      freezeTime();
      const hang = { authorization: ['Bearer hang'], timeoutMs: TIMEOUT_MS };
      const call = refusal(b.client.unary(request(), hang));
      await until(() => b.credentials.length === 1);
      await passTimeout();
      expect(await call).toMatchObject({
        reason: 'DEADLINE_EXCEEDED',
        dependency: 'authentication',
      });
    });

    it.each(['clientStream', 'bidi'] as const)(
      'reports DEADLINE_EXCEEDED if the requests of %s stop',
      async (method) => {
        async function* stuck() {
          yield { ...chunk(), text: 'a' };
          await new Promise(() => {});
        }
        freezeTime();
        const options = { ...GOOD, timeoutMs: TIMEOUT_MS };
        const call =
          method === 'bidi' ? collect(b.client.bidi(stuck(), options)) : b.client.clientStream(stuck(), options);
        const refused = refusal(call);
        await until(() => b.calls.length === 1);
        await passTimeout();
        expect(await refused).toMatchObject({ reason: 'DEADLINE_EXCEEDED' });
      },
    );

    it('passes the deadline and the cancellation to the handler', async () => {
      const controller = new AbortController();
      // Over gRPC, the core ends the call somewhat earlier.
      const earliest = inMs(4_500).at;
      const call = refusal(
        b.client.unary(request('untilAborted'), { ...GOOD, signal: controller.signal, timeoutMs: 5000 }),
      );
      await eventually(() => expect(b.calls).toHaveLength(1));
      expect(b.calls[0]!.deadline.at).toBeGreaterThanOrEqual(earliest);
      expect(b.calls[0]!.deadline.at).toBeLessThanOrEqual(inMs(5_000).at);
      controller.abort();
      expect(await call).toMatchObject({ reason: 'CANCELLED' });
      await eventually(() => expect(b.calls[0]!.deadline.signal.aborted).toBe(true));
      // A call of an earlier test may end only now.
      const outcomes = () => b.outcomes.filter(([kind]) => kind === 'Unary');
      await eventually(() => expect(outcomes()).toEqual([['Unary', 'CANCELLED']]));
    });

    it('does not start a call that is already cancelled', async () => {
      const signal = AbortSignal.abort();
      expect(await refusal(b.client.unary(request(), { ...GOOD, signal }))).toMatchObject({ reason: 'CANCELLED' });
      await b.client.open({ text: '' });
      expect(b.calls).toHaveLength(1);
    });

    it('cancels a download if its reader stops', async () => {
      for await (const { index } of b.client.serverStream({ count: 1_000_000, size: 1000, text: '' })) {
        if (index === 2) break;
      }
      await eventually(() => expect(b.outcomes).toEqual([['ServerStream', 'CANCELLED']]));
      expect(b.calls[0]!.deadline.signal.aborted).toBe(true);
    });

    it('does not abort the signal after the call', async () => {
      await b.client.unary(request(), GOOD);
      await eventually(() => expect(b.outcomes).toHaveLength(1));
      await new Promise(setImmediate);
      expect(b.calls[0]!.deadline.signal.aborted).toBe(false);
    });
  });

  describe('an upload that ends early', () => {
    /** An endless upload that knows how far it was read and whether it was told to stop. */
    function endless(texts: Record<number, string> = {}) {
      const state = { read: 0, returned: false };
      async function* upload() {
        try {
          for (;;) yield chunk(texts[state.read++] ?? '', 16_384);
        } finally {
          state.returned = true;
        }
      }
      return { state, upload: upload() };
    }

    it.each([
      ['a refused credential', {}, { authorization: ['Bearer bad'] }, 'TOKEN_INVALID'],
      ['a handler that refuses', { 1: 'refuse' }, GOOD, 'ACCOUNT_LOCKED'],
    ])('ends at once after %s', async (_name, texts, options, reason) => {
      const { state, upload } = endless(texts);
      // Its deadline never comes.
      freezeTime();
      expect(await refusal(b.client.clientStream(upload, options))).toMatchObject({ reason });
      vi.useRealTimers();
      await eventually(async () => expect((await upload.next()).done).toBe(true));
      if (state.read > 0) expect(state.returned).toBe(true);
    });

    it('is stopped even if none of it was read', async () => {
      const returned = vi.fn(async () => ({ done: true as const, value: undefined }));
      const stuck = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}), return: returned }) };
      expect(await refusal(b.client.clientStream(stuck, {}))).toMatchObject({ reason: 'TOKEN_MISSING' });
      await eventually(() => expect(returned).toHaveBeenCalledOnce());
    });

    it('may succeed before it has been read completely', async () => {
      const { state, upload } = endless({ 2: 'enough' });
      expect(await b.client.clientStream(upload, GOOD)).toEqual({ size: 3 * 16_384 });
      await eventually(() => expect(state.returned).toBe(true));
    });

    it('is cancelled with the cause if its source fails, and never completes', async () => {
      async function* broken() {
        yield chunk();
        throw new Error('the disk is gone');
      }
      for (let round = 0; round < ROUNDS; round += 1) {
        const error = await b.client.clientStream(broken(), GOOD).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ status: { reason: 'CANCELLED' }, cause: { message: 'the disk is gone' } });
      }
      // Over gRPC, a call may be over before the server has heard of it.
      await b.client.clientStream(endless({ 0: 'enough' }).upload, GOOD);
      await eventually(() => expect(b.outcomes.at(-1)).toEqual(['ClientStream', 'OK']));
      expect(b.outcomes.filter(([, reason]) => reason === 'OK')).toHaveLength(1);
    });
  });

  describe('back-pressure', () => {
    it('does not send much more than the server reads', async () => {
      let read = 0;
      async function* upload() {
        for (;;) {
          read++;
          yield chunk('hang', 65_536);
        }
      }
      freezeTime();
      const call = refusal(b.client.clientStream(upload(), { ...GOOD, timeoutMs: TIMEOUT_MS }));
      await until(() => b.calls.length === 1);
      await untilSettled(() => read);
      expect(read).toBeLessThan(30);
      await passTimeout();
      expect(await call).toMatchObject({ reason: 'DEADLINE_EXCEEDED' });
    });

    it('does not produce much more than the client reads', async () => {
      sent.count = 0;
      const stream = b.client.serverStream({ count: 10_000, size: 65_536, text: '' })[Symbol.asyncIterator]();
      await stream.next();
      await untilSettled(() => sent.count);
      expect(sent.count).toBeLessThan(60);
      await stream.return?.();
    });
  });
});
