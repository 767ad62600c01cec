// Messages beyond the limits that the protos declare: rejected before the handler, over every transport.
import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/platform/errors.ts';
import { implement, loadThenHandle, loadThenStream } from '../../../src/platform/rpc/service.ts';
import type { Call } from '../../../src/platform/rpc/types.ts';
import { BoundsServiceService as Bounds, UnboundServiceService as Unbound } from '../../proto/gen/kittest/v1/echo.ts';
import type { CheckRequest } from '../../proto/gen/kittest/v1/echo.ts';
import { bench, collect, Echo, echoHost, GOOD, handlers, TRANSPORTS, type Bench } from './echo-host.ts';
import { refusal } from '../../support/rpc-outcomes.ts';

const LONG = 'x'.repeat(100_001);
const OPTIONS = { ...GOOD };

const REQUEST: CheckRequest = {
  text: '',
  data: Buffer.alloc(0),
  texts: [],
  numbers: [],
  items: [],
  labels: {},
  numbered: {},
  recordId: '',
  number: 0,
};

it('stops the start if a field of a request has no bound', () => {
  const services = [implement(Unbound, { unbound: async () => ({}) })];
  expect(() => echoHost({ services })).toThrow(/bounds .* kittest\.v1\.UnboundRequest\.text: max is missing/);
});

it('stops the start if a request is unknown', () => {
  expect(() => echoHost({ contracts: new Map() })).toThrow('No descriptors of /kittest.v1.EchoService/Unary');
});

describe.each(TRANSPORTS)('over %s', (transport) => {
  let under: Bench | undefined;
  afterEach(() => under?.close());

  const start = async () => {
    const steps: string[] = [];
    const calls: Call[] = [];
    const find = async ({ text }: { text: string }) => {
      steps.push('find');
      if (text.startsWith('missing')) throw new ServiceError('NOT_FOUND');
    };
    under = await bench(transport, {
      services: [
        implement(Bounds, {
          check: async () => {
            steps.push('check');
            return {};
          },
        }),
        implement(Echo, {
          ...handlers(calls),
          unary: loadThenHandle(find, async ({ text }, { clientAddress, requestId }) => {
            steps.push('act');
            return { text, number: 0, clientAddress, requestId };
          }),
          serverStream: loadThenStream(find, async function* () {
            steps.push('act');
            yield { index: 0, chunk: Buffer.alloc(0) };
          }),
        }),
      ],
    });
    return { client: under.client, check: under.connect(Bounds).check, steps, calls };
  };

  it('rejects a message after the check of the credential, before the handler', async () => {
    const { check, steps } = await start();
    const request = { ...REQUEST, text: 'sixsix' };
    expect((await refusal(check(request, { authorization: ['Bearer bad'] }))).reason).toBe('TOKEN_INVALID');
    expect(await refusal(check(request, OPTIONS))).toMatchObject({
      reason: 'VALIDATION_ERROR',
      message: 'Request validation failed',
      violations: [
        { message: 'must have at most 5 characters', format: 'length', props: ['text'], params: { maximum: 5 } },
      ],
    });
    expect((await refusal(check({ ...request, recordId: 'sixsix' }, OPTIONS))).reason).toBe('NOT_FOUND');
    expect(steps).toEqual([]);
    expect(await check(REQUEST, OPTIONS)).toEqual({});
    expect(steps).toEqual(['check']);
  });

  it('reports the number of further violations', async () => {
    const { check } = await start();
    const { violations } = await refusal(check({ ...REQUEST, texts: Array<string>(30).fill('sixsix') }, OPTIONS));
    expect(violations).toHaveLength(21);
    expect(violations.at(-1)).toEqual({ message: 'and 10 more', format: 'more', params: { more: 10 } });
  });

  it('looks up a record before it checks the rest of the request', async () => {
    const { client, steps } = await start();
    const unary = (text: string) => client.unary({ text, number: 0 }, OPTIONS);
    const stream = (text: string) => collect(client.serverStream({ text, count: 1, size: 1 }));
    expect((await refusal(unary(`missing${LONG}`))).reason).toBe('NOT_FOUND');
    expect((await refusal(unary(LONG))).reason).toBe('VALIDATION_ERROR');
    expect((await refusal(stream(`missing${LONG}`))).reason).toBe('NOT_FOUND');
    expect((await refusal(stream(LONG))).reason).toBe('VALIDATION_ERROR');
    expect(steps).toEqual(['find', 'find', 'find', 'find']);
    expect(await stream('x')).toHaveLength(1);
  });

  it('checks each message of a stream as it comes', async () => {
    const { client } = await start();
    const heard: string[] = [];
    const talk = async () => {
      for await (const { text } of client.bidi(
        (async function* () {
          yield { text: 'a' };
          yield { text: 'b' };
          yield { text: LONG };
          yield { text: 'c' };
        })(),
      ))
        heard.push(text);
    };
    expect(await refusal(talk())).toMatchObject({
      reason: 'VALIDATION_ERROR',
      violations: [{ format: 'length', props: ['text'] }],
    });
    expect(heard).toEqual(['a', 'b']);
  });
});

describe('over grpc', () => {
  it('rejects a message of more than 256 kB before it is decoded, but accepts larger chunks of files', async () => {
    const under = await bench('grpc');
    try {
      const { client } = under;
      const tooLarge = client.unary({ text: 'x'.repeat(262_144), number: 0 }, OPTIONS);
      expect(await refusal(tooLarge)).toMatchObject({
        reason: 'MESSAGE_TOO_LARGE',
        violations: [{ format: 'size', params: { maximum: 262_144 } }],
      });
      expect(under.calls).toEqual([]);
      const chunk = Buffer.alloc(1_000_000);
      const upload = (async function* () {
        yield { chunk, text: '' };
      })();
      expect(await client.clientStream(upload, OPTIONS)).toEqual({ size: 1_000_000 });
      const larger = client.unary({ text: 'x'.repeat(8_000_000), number: 0 }, OPTIONS);
      expect((await refusal(larger)).reason).toBe('MESSAGE_TOO_LARGE');
    } finally {
      await under.close();
    }
  });
});
