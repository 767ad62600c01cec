// Messages, credentials and deadlines that no client library sends, and the content of responses.
import { connect as connectHttp2 } from 'node:http2';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Client, credentials, Metadata, type ServiceError as GrpcError } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { decodeStatus } from '../../../src/platform/rpc/errors/status-details.ts';
import { Echo } from './echo-host.ts';
import { closeAfterEach, closers, headersOf, NOTHING, raw, sendFramed, serve } from './grpc-server.ts';
import { callHeaders, FLAG, FRAME, frame, grpcMessage, headerBlock } from './raw-http2.ts';
import { eventually } from '../../support/eventually.ts';

closeAfterEach();

describe('returns an error with details for a message', () => {
  /** The error of a unary call with these bytes as its body. */
  function send(address: string, bytes: Buffer, metadata = new Metadata()): Promise<GrpcError> {
    const client = new Client(address, credentials.createInsecure(), { 'grpc.max_send_message_length': -1 });
    closers.push(() => client.close());
    const same = (buffer: Buffer) => buffer;
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(Echo.open.path, same, same, bytes, metadata, (error) =>
        error ? resolve(error) : reject(new Error('It succeeded')),
      );
    });
  }

  const REQUEST_ID = Metadata.fromHttp2Headers({ 'x-request-id': 'too-large-1' });
  const details = (bytes: unknown) => decodeStatus(Buffer.from(String(bytes), 'base64'));

  it('of 5 MiB', async () => {
    const { server, client, calls } = await serve();
    const error = await send(server.address, Buffer.alloc(5 * 1024 * 1024), REQUEST_ID);
    expect(error.code).toBe(8);
    expect(error.metadata.get('grpc-retry-pushback-ms')).toEqual(['-1']);
    expect(decodeStatus(error.metadata.get('grpc-status-details-bin')[0] as Buffer)).toMatchObject({
      reason: 'MESSAGE_TOO_LARGE',
      requestId: 'too-large-1',
      violations: [{ message: expect.stringMatching(/must have at most/) }],
    });
    expect(calls).toEqual([]);
    await client.open({ text: '' });
  });

  it.each([
    [
      'unpacks to 50 MiB',
      gzipSync(Buffer.alloc(50 * 1024 * 1024)),
      { 'grpc-encoding': 'gzip' },
      /larger than/,
      '8',
      'MESSAGE_TOO_LARGE',
    ],
    ['cannot be unpacked', Buffer.from('garbage'), { 'grpc-encoding': 'gzip' }, /decompress/, '3', 'VALIDATION_ERROR'],
    [
      'has an unknown encoding',
      Buffer.from('?'),
      { 'grpc-encoding': 'br' },
      /unsupported encoding/,
      '12',
      'UNSUPPORTED_COMPRESSION',
    ],
  ])('that %s', async (_what, bytes, headers, message, code, reason) => {
    const { server, client, calls } = await serve();
    const response = await sendFramed(server.address, grpcMessage(bytes, true), headers);
    expect(response['grpc-status']).toBe(code);
    expect(details(response['grpc-status-details-bin'])).toMatchObject({
      reason,
      requestId: expect.stringMatching(/^[\w-]{36}$/),
      violations: [{ message: expect.stringMatching(message) }],
    });
    expect(calls).toEqual([]);
    await client.open({ text: '' });
  });

  it.each([
    ['is missing', Buffer.alloc(0), /no request message/],
    ['is incomplete', grpcMessage(NOTHING).subarray(0, 3), /no request message/],
    [
      'is followed by a second one',
      Buffer.concat([grpcMessage(NOTHING), grpcMessage(NOTHING)]),
      /a second request message/,
    ],
  ])('that %s', async (_what, body, message) => {
    const { server } = await serve();
    const response = await sendFramed(server.address, body);
    expect(response['grpc-status']).toBe('3');
    expect(details(response['grpc-status-details-bin'])).toMatchObject({
      reason: 'VALIDATION_ERROR',
      violations: [{ message: expect.stringMatching(message) }],
    });
  });

  it.each([
    ['a unary call', Echo.open.path, {}, 1],
    ['a unary call of the encoding identity', Echo.open.path, { 'grpc-encoding': 'identity' }, 1],
    ['a stream of responses', Echo.serverStream.path, {}, 1],
    ['a stream of requests', Echo.clientStream.path, { authorization: 'Bearer good' }, 1],
    ['a call with another flag', Echo.open.path, {}, 2],
    ['a stream with another flag', Echo.serverStream.path, {}, 2],
  ])('flagged as compressed, without an encoding, in %s: INTERNAL', async (_what, path, headers, flag) => {
    const { server } = await serve();
    const message = grpcMessage(NOTHING);
    message[0] = flag;
    const response = await sendFramed(server.address, message, { ':path': path, 'x-request-id': 'flag-1', ...headers });
    expect(response['grpc-status']).toBe('13');
    expect(response['grpc-message']).toMatch(/grpc-encoding/);
    expect(details(response['grpc-status-details-bin'])).toMatchObject({ requestId: 'flag-1' });
  });

  it('after an invalid deadline', async () => {
    const { server } = await serve();
    const response = await sendFramed(server.address, grpcMessage(NOTHING), { 'grpc-timeout': 'soon' });
    expect(response['grpc-status']).toBe('3');
    expect(details(response['grpc-status-details-bin'])).toMatchObject({ reason: 'VALIDATION_ERROR' });
  });
});

describe('a call with several credentials', () => {
  it.each([
    [
      'two authorization headers',
      [
        ['authorization', 'Bearer good'],
        ['authorization', 'Bearer other'],
      ],
    ],
    [
      'an authorization header and its binary form',
      [
        ['authorization', 'Bearer good'],
        ['authorization-bin', 'QmVhcmVyIGdvb2Q='],
      ],
    ],
    [
      'two binary forms',
      [
        ['authorization-bin', 'QmVhcmVyIGdvb2Q='],
        ['authorization-bin', 'QmVhcmVyIGdvb2Q='],
      ],
    ],
  ])('rejects %s', async (_what, pairs) => {
    const { server, calls } = await serve();
    const connection = await raw(server.address);
    const block = Buffer.concat([
      headerBlock(callHeaders(Echo.unary.path)),
      ...pairs.map(([name, value]) => headerBlock({ [name!]: value! })),
    ]);
    await connection.send(headersOf(1, block), frame(FRAME.data, FLAG.endStream, 1, grpcMessage(NOTHING)));
    await eventually(() => expect(connection.frames()).toContain(FRAME.headers));
    expect(calls).toEqual([]);
  });

  it.each([[['key-1', 'key-2']]])('passes both API keys to the check: %j', async (values) => {
    const { server, credentials: seen } = await serve();
    const connection = await raw(server.address);
    const block = Buffer.concat([
      headerBlock(callHeaders(Echo.unary.path)),
      ...values.map((value) => headerBlock({ 'x-api-key': value })),
    ]);
    await connection.send(headersOf(1, block), frame(FRAME.data, FLAG.endStream, 1, grpcMessage(NOTHING)));
    await eventually(() => expect(seen).toEqual([{ authorization: [], apiKey: values }]));
  });
});

describe('a response', () => {
  const TEXT = 'ab'.repeat(5_000);
  const callOf = (text: string) => Buffer.from(Echo.open.requestSerialize({ text }));

  it('carries the request id of the caller, or a new one', async () => {
    const { server } = await serve();
    const client = new Client(server.address, credentials.createInsecure());
    closers.push(() => client.close());
    const same = (buffer: Buffer) => buffer;
    const idOf = (metadata: Metadata) =>
      new Promise((resolve, reject) => {
        client
          .makeUnaryRequest(Echo.open.path, same, same, callOf(''), metadata, (error) => error && reject(error))
          .on('status', (status) => resolve(status.metadata.get('x-request-id')));
      });
    expect(await idOf(Metadata.fromHttp2Headers({ 'x-request-id': 'mine-1' }))).toEqual(['mine-1']);
    expect(await idOf(new Metadata())).toEqual([expect.stringMatching(/^[\w-]{36}$/)]);
  });

  it.each([
    [{ 'grpc-encoding': 'gzip' }, 'gzip'],
    [{ 'grpc-accept-encoding': 'gzip' }, 'identity'],
  ])('to a request with %j has the encoding %s', async (headers, encoding) => {
    const { server } = await serve();
    const session = connectHttp2(`http://${server.address}`);
    closers.push(() => session.destroy());
    const stream = session.request({ ...callHeaders(Echo.serverStream.path), ...headers }, { endStream: false });
    const got: Buffer[] = [];
    const response = new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
    stream.on('data', (bytes: Buffer) => got.push(bytes));
    stream.end(grpcMessage(Buffer.from(Echo.serverStream.requestSerialize({ count: 2, size: TEXT.length, text: '' }))));
    await new Promise((resolve) => stream.once('end', resolve));
    expect((await response)['grpc-encoding']).toBe(encoding);
    const bytes = Buffer.concat(got);
    for (let at = 0, index = 0; index < 2; index++) {
      const length = bytes.readUInt32BE(at + 1);
      const message = bytes.subarray(at + 5, at + 5 + length);
      expect(bytes[at]).toBe(encoding === 'gzip' ? 1 : 0);
      const plain = encoding === 'gzip' ? gunzipSync(message) : message;
      expect(Echo.serverStream.responseDeserialize(plain).chunk).toHaveLength(TEXT.length);
      if (encoding === 'gzip') expect(length).toBeLessThan(TEXT.length / 10);
      at += 5 + length;
    }
  });

  it('carries grpc-retry-pushback-ms after an outage', async () => {
    const { server } = await serve();
    const response = await sendFramed(server.address, grpcMessage(callOf('outage')), {});
    expect([response['grpc-status'], response['grpc-retry-pushback-ms']]).toEqual(['14', '1000']);
  });
});

describe('a deadline beyond the range of timers', () => {
  it.each(['597H', '99999999M', '2147484S'])('of %s is accepted and has not passed', async (timeout) => {
    const { server } = await serve();
    const response = await sendFramed(server.address, grpcMessage(NOTHING), { 'grpc-timeout': timeout });
    expect(response['grpc-status']).toBeUndefined();
  });
});
