// Every kind of call over either transport: messages, access rules, metadata and errors.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bench, collect, GOOD, TRANSPORTS, type Bench } from './echo-host.ts';
import { refusal } from '../../support/rpc-outcomes.ts';
import { eventually } from '../../support/eventually.ts';

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

  describe('each kind of method', () => {
    it('returns the response of a unary call', async () => {
      const response = await b.client.unary({ text: 'hello', number: 7, note: 'n' }, GOOD);
      expect(response).toMatchObject({ text: 'hello', number: 7, note: 'n' });
      expect(b.outcomes).toEqual([['Unary', 'OK']]);
    });

    it('returns the response of an upload', async () => {
      async function* upload() {
        for (let i = 0; i < 100; i++) yield chunk('', 1000);
      }
      expect(await b.client.clientStream(upload(), GOOD)).toEqual({ size: 100_000 });
    });

    it('returns the messages of a download', async () => {
      const messages = await collect(b.client.serverStream({ count: 100, size: 10, text: '' }));
      expect(messages.map(({ index }) => index)).toEqual([...Array(100).keys()]);
    });

    it('exchanges the messages of a bidirectional stream', async () => {
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

  describe('messages on the wire', () => {
    it('keep an absent field absent, and replace a lone surrogate by U+FFFD', async () => {
      const response = await b.client.unary({ text: 'a\ud800b', number: 1 }, GOOD);
      expect(response.note).toBeUndefined();
      expect(response.text).toBe('a\ufffdb');
    });

    it('are rejected with 1.5 in an int32', async () => {
      const { reason } = await refusal(b.client.unary({ text: '', number: 1.5 }, GOOD));
      expect(reason).toBe('INTERNAL_ERROR');
      expect(b.calls).toEqual([]);
    });
  });

  describe('access rules', () => {
    it('ignore credentials if the rule is public', async () => {
      expect(await b.client.open({ text: '' }, { authorization: ['Bearer forged'] })).toMatchObject({ known: false });
      expect(b.credentials).toEqual([]);
    });

    it('require a credential if the rule does', async () => {
      for (const authorization of [[], ['Basic abc']]) {
        expect(await refusal(b.client.unary(request(), { authorization }))).toMatchObject({
          reason: 'TOKEN_MISSING',
          message: 'Unauthorized - Missing or invalid token',
        });
      }
      expect(b.calls).toEqual([]);
    });

    it('check an optional credential if present', async () => {
      async function* talk() {
        yield { text: 'a' };
      }
      expect(await collect(b.client.bidi(talk()))).toEqual([{ text: 'a', known: false }]);
      expect(b.credentials).toEqual([]);
      const bad = collect(b.client.bidi(talk(), { authorization: ['Bearer bad'] }));
      expect(await refusal(bad)).toMatchObject({ reason: 'TOKEN_INVALID' });
    });

    it('report an invalid token by a fixed message, with its detail in diagnostics only', async () => {
      const status = await refusal(b.client.unary(request(), { authorization: ['Bearer bad'] }));
      expect(status.message).toBe('Unauthorized - Invalid or expired token');
      expect(status.diagnostics?.exceptionMessage).toBe('bad signature');
    });
  });

  describe('metadata of a request', () => {
    it.each([
      [['Bearer good', 'Bearer good']],
      [['Bearer é\xff\t\x01']],
      [[' Bearer x ']],
      [['Bearer a, b,c']],
      [['']],
      [['a', '', '💐']],
    ])('carries every Authorization header unchanged: %j', async (authorization) => {
      await b.client.unary(request(), { authorization, apiKey: authorization }).catch(() => {});
      expect(b.credentials).toEqual([{ authorization, apiKey: authorization }]);
    });

    it('keeps a valid request id and replaces an invalid one', async () => {
      const id = async (requestId?: string) =>
        (await b.client.unary(request(), requestId === undefined ? GOOD : { ...GOOD, requestId })).requestId;
      expect(await id('a-Z_0.9:x')).toBe('a-Z_0.9:x');
      for (const bad of ['', 'a b', 'ü', 'x'.repeat(65), 'a\nb', undefined]) expect(await id(bad)).toMatch(UUID);
    });

    it('contains the request id, which errors and log lines repeat', async () => {
      const status = await refusal(b.client.unary(request('refuse'), { ...GOOD, requestId: 'r-1' }));
      expect(status.requestId).toBe('r-1');
      await eventually(() =>
        expect(b.logged).toContainEqual(
          expect.objectContaining({ requestId: 'r-1', reason: 'ACCOUNT_LOCKED', level: 30 }),
        ),
      );
    });
  });

  describe('errors', () => {
    it('carries an error with its detail, including non-ASCII text', async () => {
      const status = await refusal(b.client.unary(request('refuse'), GOOD));
      expect(status).toMatchObject({
        reason: 'ACCOUNT_LOCKED',
        message: 'locked till noon — ünïcode \u{1f512}',
        retryAfterMs: 1500,
        diagnostics: { exceptionType: 'ServiceError' },
      });
    });

    it('carries violations completely', async () => {
      expect(await refusal(b.client.unary(request('violate'), GOOD))).toMatchObject({
        reason: 'VALIDATION_ERROR',
        message: 'Missing login credentials',
        violations: [
          { message: 'too long', format: 'maxLength', props: ['a.b', 'c'], params: { max: 3, of: [1, null] } },
        ],
      });
    });

    it('reports only the class of an unexpected error', async () => {
      const status = await refusal(b.client.unary(request('defect'), GOOD));
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

    it('names the service whose dependency is unavailable', async () => {
      const retryAfterMs = 1000;
      expect(await refusal(b.client.unary(request('outage'), GOOD))).toMatchObject({
        reason: 'SERVICE_UNAVAILABLE',
        retryAfterMs,
      });
      const outage = { authorization: ['Bearer outage'] };
      expect(await refusal(b.client.unary(request(), outage))).toMatchObject({
        reason: 'AUTHENTICATION_SERVICE_UNAVAILABLE',
        retryAfterMs,
      });
    });

    it('ends a download that fails midway with its error', async () => {
      const got: number[] = [];
      const read = async () => {
        for await (const { index } of b.client.serverStream({ count: 3, size: 1, text: 'refuse' })) got.push(index);
      };
      expect(await refusal(read())).toMatchObject({ reason: 'ACCOUNT_LOCKED' });
      expect(got).toEqual([0]);
    });
  });
});
