import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bench, collect, failure, GOOD, sent, TRANSPORTS } from './kit/echo-host.ts';
import type { Bench } from './kit/echo-host.ts';

const request = (text = '') => ({ text, number: 1, note: undefined });
const chunk = (text = '', size = 10) => ({ text, chunk: Buffer.alloc(size) });
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe.each(TRANSPORTS)('calls over %s', (transport) => {
  let b: Bench;
  beforeAll(async () => void (b = await bench(transport)));
  afterAll(() => b.close());
  beforeEach(() => {
    for (const list of [b.calls, b.credentials, b.outcomes, b.logged]) list.length = 0;
  });

  describe('the four kinds', () => {
    it('answers a unary call', async () => {
      const response = await b.client.unary({ text: 'hello', number: 7, note: 'n' }, GOOD);
      expect(response).toMatchObject({ text: 'hello', number: 7, note: 'n' });
      expect(b.outcomes).toEqual([['Unary', 'OK']]);
    });

    it('answers an upload', async () => {
      async function* upload() {
        for (let i = 0; i < 100; i++) yield chunk('', 1000);
      }
      expect(await b.client.clientStream(upload(), GOOD)).toEqual({ size: 100_000 });
    });

    it('answers with a download', async () => {
      const messages = await collect(b.client.serverStream({ count: 100, size: 10, text: '' }));
      expect(messages.map(({ index }) => index)).toEqual([...Array(100).keys()]);
    });

    it('holds a conversation', async () => {
      async function* talk() {
        yield { text: 'a' };
        yield { text: 'b' };
      }
      expect(await collect(b.client.bidi(talk(), GOOD))).toEqual([
        { text: 'a', known: true },
        { text: 'b', known: true },
      ]);
    });

    it('carries empty streams', async () => {
      async function* nothing() {}
      expect(await b.client.clientStream(nothing(), GOOD)).toEqual({ size: 0 });
      expect(await collect(b.client.bidi(nothing()))).toEqual([]);
      expect(await collect(b.client.serverStream({ count: 0, size: 0, text: '' }))).toEqual([]);
    });
  });

  describe('what the wire does to messages', () => {
    it('keeps an absent field absent and makes a lone surrogate U+FFFD', async () => {
      const response = await b.client.unary({ text: 'a\ud800b', number: 1 }, GOOD);
      expect(response.note).toBeUndefined();
      expect(response.text).toBe('a\ufffdb');
    });

    it('refuses to send 1.5 in an int32', async () => {
      const { reason } = await failure(b.client.unary({ text: '', number: 1.5 }, GOOD));
      expect(reason).toBe('INTERNAL_ERROR');
      expect(b.calls).toEqual([]);
    });
  });

  describe('access rules', () => {
    it('does not look at a credential where nobody is asked', async () => {
      expect(await b.client.open({ text: '' }, { authorization: ['Bearer forged'] })).toMatchObject({ known: false });
      expect(b.credentials).toEqual([]);
    });

    it('demands one where it is required', async () => {
      for (const authorization of [[], ['Basic abc']]) {
        expect(await failure(b.client.unary(request(), { authorization }))).toMatchObject({
          reason: 'TOKEN_MISSING',
          message: 'Unauthorized - Missing or invalid token',
        });
      }
      expect(b.calls).toEqual([]);
    });

    it('checks one that is present where it is optional', async () => {
      async function* talk() {
        yield { text: 'a' };
      }
      expect(await collect(b.client.bidi(talk()))).toEqual([{ text: 'a', known: false }]);
      expect(b.credentials).toEqual([]);
      const bad = collect(b.client.bidi(talk(), { authorization: ['Bearer bad'] }));
      expect(await failure(bad)).toMatchObject({ reason: 'TOKEN_INVALID' });
    });

    it('keeps the message of a bad token fixed and tells the detail in diagnostics only', async () => {
      const status = await failure(b.client.unary(request(), { authorization: ['Bearer bad'] }));
      expect(status.message).toBe('Unauthorized - Invalid or expired token');
      expect(status.diagnostics?.exceptionMessage).toBe('bad signature');
    });
  });

  describe('what travels beside a request', () => {
    it.each([
      [['Bearer good', 'Bearer good']],
      [['Bearer é\xff\t\x01']],
      [[' Bearer x ']],
      [['Bearer a, b,c']],
      [['']],
      [['a', '', '💐']],
    ])('carries every Authorization header as it is: %j', async (authorization) => {
      await b.client.unary(request(), { authorization, apiKey: authorization }).catch(() => {});
      expect(b.credentials).toEqual([{ authorization, apiKey: authorization }]);
    });

    it('takes over a usable request id and replaces any other', async () => {
      const id = async (requestId?: string) =>
        (await b.client.unary(request(), requestId === undefined ? GOOD : { ...GOOD, requestId })).requestId;
      expect(await id('a-Z_0.9:x')).toBe('a-Z_0.9:x');
      for (const bad of ['', 'a b', 'ü', 'x'.repeat(65), 'a\nb', undefined]) expect(await id(bad)).toMatch(UUID);
    });

    it('names the request id in errors and in the log', async () => {
      const status = await failure(b.client.unary(request('refuse'), { ...GOOD, requestId: 'r-1' }));
      expect(status.requestId).toBe('r-1');
      await vi.waitFor(() =>
        expect(b.logged).toContainEqual(
          expect.objectContaining({ requestId: 'r-1', reason: 'ACCOUNT_LOCKED', level: 30 }),
        ),
      );
    });
  });

  describe('errors', () => {
    it('carries a refusal with its detail, not all of it ASCII', async () => {
      const status = await failure(b.client.unary(request('refuse'), GOOD));
      expect(status).toMatchObject({
        reason: 'ACCOUNT_LOCKED',
        message: 'locked till noon — ünïcode \u{1f512}',
        retryAfterMs: 1500,
        diagnostics: { exceptionType: 'ServiceError' },
      });
    });

    it('carries violations whole', async () => {
      expect(await failure(b.client.unary(request('violate'), GOOD))).toMatchObject({
        reason: 'VALIDATION_ERROR',
        message: 'Missing login credentials',
        violations: [
          { message: 'too long', format: 'maxLength', props: ['a.b', 'c'], params: { max: 3, of: [1, null] } },
        ],
      });
    });

    it('tells of a defect no more than its class', async () => {
      const status = await failure(b.client.unary(request('defect'), GOOD));
      expect(status).toMatchObject({ reason: 'INTERNAL_ERROR', diagnostics: { exceptionType: 'TypeError' } });
      expect(JSON.stringify(status)).not.toMatch(/hunter2|passwd|file:/);
      expect(JSON.stringify(status)).not.toContain(process.cwd());
      expect(status.diagnostics?.stackTrace).toContain('at ');
      expect(b.logged).toContainEqual(
        expect.objectContaining({
          level: 50,
          cause: expect.objectContaining({ message: 'secret=hunter2 in /etc/passwd' }),
        }),
      );
    });

    it('says in which service a dependency is missing', async () => {
      const retryAfterMs = 1000;
      expect(await failure(b.client.unary(request('outage'), GOOD))).toMatchObject({
        reason: 'SERVICE_UNAVAILABLE',
        retryAfterMs,
      });
      const outage = { authorization: ['Bearer outage'] };
      expect(await failure(b.client.unary(request(), outage))).toMatchObject({
        reason: 'AUTHENTICATION_SERVICE_UNAVAILABLE',
        retryAfterMs,
      });
    });

    it('ends a download that fails half-way with its error', async () => {
      const got: number[] = [];
      const read = async () => {
        for await (const { index } of b.client.serverStream({ count: 3, size: 1, text: 'refuse' })) got.push(index);
      };
      expect(await failure(read())).toMatchObject({ reason: 'ACCOUNT_LOCKED' });
      expect(got).toEqual([0]);
    });
  });

  describe('deadlines and cancellation', () => {
    it('rejects a handler that hangs', async () => {
      expect(await failure(b.client.unary(request('hang'), { ...GOOD, timeoutMs: 200 }))).toMatchObject({
        reason: 'DEADLINE_EXCEEDED',
        retryAfterMs: undefined,
        dependency: undefined,
      });
      await vi.waitFor(() => expect(b.outcomes).toEqual([['Unary', 'DEADLINE_EXCEEDED']]));
      const lines = b.logged.filter(({ reason }) => reason === 'DEADLINE_EXCEEDED');
      expect(lines.map(({ level }) => level)).toEqual([30]);
    });

    it('names the authentication where that is what hangs', async () => {
      const hang = { authorization: ['Bearer hang'], timeoutMs: 1000 };
      expect(await failure(b.client.unary(request(), hang))).toMatchObject({
        reason: 'DEADLINE_EXCEEDED',
        dependency: 'authentication',
      });
    });

    it.each(['clientStream', 'bidi'] as const)('rejects %s whose requests stay away', async (method) => {
      async function* stuck() {
        yield { ...chunk(), text: 'a' };
        await new Promise(() => {});
      }
      const options = { ...GOOD, timeoutMs: 200 };
      const call =
        method === 'bidi' ? collect(b.client.bidi(stuck(), options)) : b.client.clientStream(stuck(), options);
      expect(await failure(call)).toMatchObject({ reason: 'DEADLINE_EXCEEDED' });
    });

    it('lets the handler see the deadline and the cancellation', async () => {
      const controller = new AbortController();
      const call = failure(
        b.client.unary(request('untilAborted'), { ...GOOD, signal: controller.signal, timeoutMs: 5000 }),
      );
      await vi.waitFor(() => expect(b.calls).toHaveLength(1));
      expect(b.calls[0]!.deadline.at).toBeGreaterThan(Date.now() + 4000);
      expect(b.calls[0]!.deadline.at).toBeLessThanOrEqual(Date.now() + 5000);
      controller.abort();
      expect(await call).toMatchObject({ reason: 'CANCELLED' });
      await vi.waitFor(() => expect(b.calls[0]!.deadline.signal.aborted).toBe(true));
      await vi.waitFor(() => expect(b.outcomes).toEqual([['Unary', 'CANCELLED']]));
    });

    it('does not begin what is cancelled already', async () => {
      const signal = AbortSignal.abort();
      expect(await failure(b.client.unary(request(), { ...GOOD, signal }))).toMatchObject({ reason: 'CANCELLED' });
      await b.client.open({ text: '' });
      expect(b.calls).toHaveLength(1);
    });

    it('cancels a download whose reader stops', async () => {
      for await (const { index } of b.client.serverStream({ count: 1_000_000, size: 1000, text: '' })) {
        if (index === 2) break;
      }
      await vi.waitFor(() => expect(b.outcomes).toEqual([['ServerStream', 'CANCELLED']]));
      expect(b.calls[0]!.deadline.signal.aborted).toBe(true);
    });

    it('leaves the signal alone after the call', async () => {
      await b.client.unary(request(), GOOD);
      await vi.waitFor(() => expect(b.outcomes).toHaveLength(1));
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
    ])('is over at once after %s', async (_name, texts, options, reason) => {
      const { state, upload } = endless(texts);
      const before = Date.now();
      expect(await failure(b.client.clientStream(upload, options))).toMatchObject({ reason });
      expect(Date.now() - before).toBeLessThan(2000);
      await vi.waitFor(async () => expect((await upload.next()).done).toBe(true));
      if (state.read > 0) expect(state.returned).toBe(true);
    });

    it('is told to stop even where nothing of it was read', async () => {
      const returned = vi.fn(async () => ({ done: true as const, value: undefined }));
      const stuck = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}), return: returned }) };
      expect(await failure(b.client.clientStream(stuck, {}))).toMatchObject({ reason: 'TOKEN_MISSING' });
      await vi.waitFor(() => expect(returned).toHaveBeenCalledOnce());
    });

    it('may succeed before it is read to its end', async () => {
      const { state, upload } = endless({ 2: 'enough' });
      expect(await b.client.clientStream(upload, GOOD)).toEqual({ size: 3 * 16_384 });
      await vi.waitFor(() => expect(state.returned).toBe(true));
    });

    it('is cancelled, with the cause, where its source fails, and never passes for a whole one', async () => {
      async function* broken() {
        yield chunk();
        throw new Error('the disk is gone');
      }
      const rounds = 30;
      for (let i = 0; i < rounds; i++) {
        const error = await b.client.clientStream(broken(), GOOD).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ status: { reason: 'CANCELLED' }, cause: { message: 'the disk is gone' } });
      }
      // Over gRPC, a call may be over before the server has heard of it.
      await b.client.clientStream(endless({ 0: 'enough' }).upload, GOOD);
      await vi.waitFor(() => expect(b.outcomes.at(-1)).toEqual(['ClientStream', 'OK']));
      expect(b.outcomes.filter(([, reason]) => reason === 'OK')).toHaveLength(1);
    });
  });

  describe('back-pressure', () => {
    it('sends no further than the server reads', async () => {
      let read = 0;
      async function* upload() {
        for (;;) {
          read++;
          yield chunk('hang', 65_536);
        }
      }
      expect(await failure(b.client.clientStream(upload(), { ...GOOD, timeoutMs: 500 }))).toMatchObject({
        reason: 'DEADLINE_EXCEEDED',
      });
      expect(read).toBeLessThan(30);
    });

    it('produces no further than the client reads', async () => {
      sent.count = 0;
      const stream = b.client.serverStream({ count: 10_000, size: 65_536, text: '' })[Symbol.asyncIterator]();
      await stream.next();
      let before = -1;
      await vi.waitFor(
        () => {
          const settled = sent.count === before;
          before = sent.count;
          expect(settled).toBe(true);
        },
        { interval: 100 },
      );
      expect(sent.count).toBeLessThan(60);
      await stream.return?.();
    });
  });
});
