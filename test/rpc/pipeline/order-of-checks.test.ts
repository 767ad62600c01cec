// Requests with the access-check flag: rejected with the first error in the order of checks, and never executed.
import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/platform/errors.ts';
import { implement, loadThenHandle } from '../../../src/platform/rpc/service.ts';
import type { Call } from '../../../src/platform/rpc/types.ts';
import { bench, collect, Echo, GOOD, handlers, TRANSPORTS, type Bench } from './echo-host.ts';
import { refusal } from '../../support/rpc-outcomes.ts';

async function* once<T>(message: T): AsyncGenerator<T> {
  yield message;
}

describe.each(TRANSPORTS)('over %s', (transport) => {
  let under: Bench | undefined;
  afterEach(() => under?.close());

  const start = async () => {
    const calls: Call[] = [];
    const steps: string[] = [];
    const service = implement(Echo, {
      ...handlers(calls),
      unary: loadThenHandle(
        async ({ text }: { text: string }) => {
          steps.push('find');
          if (text === 'missing') throw new ServiceError('NOT_FOUND');
          return text.length;
        },
        async ({ text }, { clientAddress, requestId }, number) => {
          steps.push('act');
          return { text, number, clientAddress, requestId };
        },
      ),
    });
    under = await bench(transport, { services: [service] });
    return { client: under.client, calls, steps };
  };
  const reasonOf = async (call: Promise<unknown>) => (await refusal(call)).reason;

  it('checks credential, record and then the access-check flag', async () => {
    const { client, steps } = await start();
    const unary = (text: string, authorization: string[]) =>
      reasonOf(client.unary({ text, number: 0 }, { accessCheckOnly: true, authorization }));
    expect(await unary('x', [])).toBe('TOKEN_MISSING');
    expect(await unary('x', ['Bearer bad'])).toBe('TOKEN_INVALID');
    expect(steps).toEqual([]);
    expect(await unary('missing', GOOD.authorization)).toBe('NOT_FOUND');
    expect(await unary('x', GOOD.authorization)).toBe('VALIDATION_ERROR');
    expect(steps).toEqual(['find', 'find']);
  });

  it('passes the loaded record to a call without the flag', async () => {
    const { client, steps } = await start();
    expect(await client.unary({ text: 'four', number: 0 }, GOOD)).toMatchObject({ number: 4 });
    expect(await client.unary({ text: 'four', number: 0 }, { ...GOOD, accessCheckOnly: false })).toMatchObject({
      number: 4,
    });
    expect(steps).toEqual(['find', 'act', 'find', 'act']);
  });

  it('never calls a handler that does not support the flag', async () => {
    const { client, calls } = await start();
    const options = { ...GOOD, accessCheckOnly: true };
    expect(await reasonOf(client.open({ text: 'x' }, options))).toBe('VALIDATION_ERROR');
    const chunk = { chunk: Buffer.alloc(1), text: 'x' };
    expect(await reasonOf(client.clientStream(once(chunk), options))).toBe('VALIDATION_ERROR');
    const wanted = { count: 1, size: 1, text: 'x' };
    expect(await reasonOf(collect(client.serverStream(wanted, options)))).toBe('VALIDATION_ERROR');
    expect(await reasonOf(collect(client.bidi(once({ text: 'x' }), options)))).toBe('VALIDATION_ERROR');
    expect(calls).toEqual([]);
  });
});
