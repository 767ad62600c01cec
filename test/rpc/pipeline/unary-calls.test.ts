// Unary calls are read by unary-call.ts or, if something about them is unusual, by grpc-js. No caller sees a difference.
import { connect as connectHttp2, type ClientHttp2Stream } from 'node:http2';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES } from '../../../src/platform/rpc/contract/contracts.ts';
import { decodeStatus } from '../../../src/platform/rpc/errors/status-details.ts';
import { eventually } from '../../support/eventually.ts';
import { Echo } from './echo-host.ts';
import { closeAfterEach, closers, serve } from './grpc-server.ts';
import { callHeaders, grpcMessage } from './raw-http2.ts';

closeAfterEach();

type Headers = Readonly<Record<string, string>>;

const GOOD: Headers = { authorization: 'Bearer good', 'x-request-id': 'unary-1' };
/** grpc-js reads calls that announce a compression. A message without the flag is not compressed. */
const BY_GRPC_JS: Headers = { 'grpc-encoding': 'gzip' };

const requestOf = (text: string) => grpcMessage(Buffer.from(Echo.unary.requestSerialize({ text, number: 1 })));

function open(address: string, headers: Headers): ClientHttp2Stream {
  const session = connectHttp2(`http://${address}`);
  closers.push(() => session.destroy());
  return session.request({ ...callHeaders(Echo.unary.path), ...headers }, { endStream: false });
}

/** Returns the response: its headers with its trailers, and its body. */
function responseOf(stream: ClientHttp2Stream): Promise<{ headers: Record<string, unknown>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, unknown> = {};
    const body: Buffer[] = [];
    stream.on('response', (received) => Object.assign(headers, received));
    stream.on('trailers', (received) => Object.assign(headers, received));
    stream.on('data', (chunk: Buffer) => body.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => resolve({ headers, body: Buffer.concat(body) }));
  });
}

async function call(address: string, body: Buffer, headers: Headers) {
  const stream = open(address, headers);
  stream.end(body);
  return responseOf(stream);
}

const reasonOf = (headers: Record<string, unknown>) =>
  decodeStatus(Buffer.from(String(headers['grpc-status-details-bin']), 'base64'))?.reason;

describe('a response is that of grpc-js', () => {
  it.each<[string, Buffer, Headers, string]>([
    ['of a call', requestOf('hello'), GOOD, '0'],
    [
      'of a call with an API key',
      requestOf('hello'),
      { ...GOOD, authorization: 'Bearer good', 'x-api-key': 'key' },
      '0',
    ],
    ['of a handler that throws', requestOf('refuse'), GOOD, '9'],
    ['of a handler that violates a rule', requestOf('violate'), GOOD, '3'],
    ['without a credential', requestOf(''), { 'x-request-id': 'unary-1' }, '16'],
    ['with a credential outside of ASCII', requestOf(''), { ...GOOD, authorization: 'Bearer göod' }, '16'],
    ['with a request id that is not one', requestOf(''), { ...GOOD, 'x-request-id': '' }, '0'],
    ['with a deadline that has passed', requestOf(''), { ...GOOD, 'grpc-timeout': '0m' }, '4'],
    ['with a deadline in microseconds', requestOf(''), { ...GOOD, 'grpc-timeout': '10000000u' }, '0'],
    ['of a message that cannot be decoded', grpcMessage(Buffer.from([0x0a, 0xff])), GOOD, '3'],
    ['without a message', Buffer.alloc(0), GOOD, '3'],
    ['with two messages', Buffer.concat([requestOf(''), requestOf('')]), GOOD, '3'],
  ])('%s', async (_name, body, headers, status) => {
    const { server } = await serve();
    const [own, theirs] = await Promise.all([
      call(server.address, body, headers),
      call(server.address, body, { ...headers, ...BY_GRPC_JS }),
    ]);
    expect(own.headers['grpc-status']).toBe(status);
    expect(reasonOf(own.headers)).toBe(reasonOf(theirs.headers));
    const varying = ['date', 'grpc-encoding', 'grpc-status-details-bin', 'x-clock', 'x-request-id'];
    const steady = (from: Record<string, unknown>) =>
      Object.entries(from).map(([name, value]) => [name, varying.includes(name) ? typeof value : value]);
    expect(new Map(steady(own.headers) as never)).toEqual(new Map(steady(theirs.headers) as never));
    if (headers['x-request-id'] === 'unary-1') expect(own.body).toEqual(theirs.body);
  });
});

describe('a message', () => {
  it('may arrive byte by byte', async () => {
    const { server } = await serve();
    const stream = open(server.address, GOOD);
    for (const byte of requestOf('in small parts')) stream.write(Buffer.of(byte));
    stream.end();
    const { body } = await responseOf(stream);
    expect(Echo.unary.responseDeserialize(body.subarray(5)).text).toBe('in small parts');
  });

  it('may have the maximum size', async () => {
    const { server } = await serve();
    const text = 'x'.repeat(MAX_MESSAGE_BYTES - 100);
    const { headers } = await call(server.address, requestOf(text), GOOD);
    // The field is too long, so the message was read.
    expect(reasonOf(headers)).toBe('VALIDATION_ERROR');
  });

  it('is refused if a byte follows it', async () => {
    const { server, calls } = await serve();
    const { headers } = await call(server.address, Buffer.concat([requestOf(''), Buffer.of(0)]), GOOD);
    expect(reasonOf(headers)).toBe('VALIDATION_ERROR');
    expect(calls).toEqual([]);
  });

  it('that does not arrive completely is refused at the deadline', async () => {
    const { server, calls } = await serve();
    const stream = open(server.address, { ...GOOD, 'grpc-timeout': '100m' });
    stream.write(requestOf('late').subarray(0, 7));
    const received = new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
    expect((await received)['grpc-status']).toBe('4');
    stream.end(requestOf('late').subarray(7));
    await responseOf(stream.resume());
    expect(calls).toEqual([]);
  });

  it('that does not arrive completely is refused after the maximum time of a call', async () => {
    const { server } = await serve({}, { maxTimeoutMs: 100 });
    for (const timeout of [{}, { 'grpc-timeout': '99H' }]) {
      const stream = open(server.address, { ...GOOD, ...timeout });
      stream.write(requestOf('late').subarray(0, 7));
      const received = new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
      expect((await received)['grpc-status']).toBe('4');
    }
  });

  it('is refused by its announced length, before it arrives', async () => {
    const { server } = await serve();
    const stream = open(server.address, GOOD);
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(MAX_MESSAGE_BYTES + 1, 1);
    const received = new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
    stream.write(prefix);
    expect((await received)['grpc-status']).toBe('8');
  });
});

it('a response is compressed if the request is', async () => {
  const { server } = await serve();
  const text = 'long '.repeat(500);
  const { headers, body } = await call(server.address, requestOf(text), { ...GOOD, ...BY_GRPC_JS });
  expect(headers['grpc-encoding']).toBe('gzip');
  expect(Echo.unary.responseDeserialize(gunzipSync(body.subarray(5))).text).toBe(text);
});

it('a call ends with its connection, before its message is complete and after', async () => {
  const { server, calls, outcomes, client } = await serve();
  open(server.address, GOOD).write(requestOf('').subarray(0, 3));
  const stream = open(server.address, GOOD);
  stream.on('error', () => undefined).end(requestOf('hang'));
  await eventually(() => expect(calls).toHaveLength(1));
  for (const close of closers.splice(-2)) close();
  await eventually(() => expect(outcomes).toEqual([['Unary', 'CANCELLED']]));
  await client.open({ text: '' });
});
