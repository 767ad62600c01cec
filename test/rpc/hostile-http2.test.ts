// What a peer can do to the gRPC port below gRPC. Whatever it is, it costs that peer its connection or its call, and others
// are answered all the while.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import type { Settings } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Client, Metadata, credentials } from '@grpc/grpc-js';
import type { ServiceError as GrpcError } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { grpcChannel } from '../../src/rpc/grpc/client.ts';
import { serveGrpc } from '../../src/rpc/grpc/server.ts';
import type { GrpcServer, GrpcServerOptions } from '../../src/rpc/grpc/server.ts';
import { KNOWN_CALLERS, MAX_METADATA_BYTES } from '../../src/rpc/grpc/patches/session-limits.ts';
import { decodeStatus } from '../../src/rpc/errors/status-details.ts';
import type { Call, Client as KitClient } from '../../src/rpc/types.ts';
import { makeCertificates, writeCertificates } from './kit/certificates.ts';
import { Echo, echoHost, failure, GOOD } from './kit/echo-host.ts';
import { callHeaders, FLAG, FRAME, frame, grpcMessage, headerBlock, rawConnection } from './kit/raw-http2.ts';
import type { RawConnection } from './kit/raw-http2.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function serve(options: Partial<GrpcServerOptions> = {}) {
  const { host, log, calls } = echoHost();
  const server = await serveGrpc(host, { host: '127.0.0.1', port: 0, trustedGateways: [], log, ...options });
  closers.push(() => server.close(0));
  const channel = grpcChannel({ target: server.address });
  closers.push(channel.close);
  return { server, calls, client: channel.client(Echo) };
}

async function raw(address: string, options?: { preface: boolean }): Promise<RawConnection> {
  const connection = await rawConnection(address, options);
  closers.push(() => connection.socket.destroy());
  return connection;
}

const OPEN = headerBlock(callHeaders(Echo.open.path));
const CANCEL = Buffer.from([0, 0, 0, 8]);
const NOTHING = Buffer.alloc(0);
const headersOf = (stream: number, block = OPEN): Buffer => frame(FRAME.headers, FLAG.endHeaders, stream, block);
const times = (count: number, one: Buffer): Buffer => Buffer.concat(Array<Buffer>(count).fill(one));

/** Streams 1, 3, 5 …, `perStream` of each, in batches. */
async function streams({ send }: RawConnection, count: number, perStream: (id: number) => Buffer[]): Promise<void> {
  for (let sent = 0; sent < count; sent += 500) {
    await send(...Array.from({ length: 500 }, (_, index) => perStream(1 + 2 * (sent + index))).flat());
  }
}

/** Each would go on for ever, or for megabytes, were it not stopped. */
const FLOODS: Record<string, (connection: RawConnection) => Promise<void>> = {
  'streams that are reset at once (CVE-2023-44487)': (connection) =>
    streams(connection, 5_000, (id) => [headersOf(id), frame(FRAME.resetStream, 0, id, CANCEL)]),
  'streams beyond the 1,000 that may be open': (connection) => streams(connection, 5_000, (id) => [headersOf(id)]),
  'CONTINUATION frames without an end (CVE-2024-27316)': async ({ send }) => {
    await send(frame(FRAME.headers, 0, 1, OPEN));
    const more = frame(FRAME.continuation, 0, 1, headerBlock({ 'x-more': 'y'.repeat(1_000) }));
    for (let i = 0; i < 20; i++) await send(times(500, more));
  },
  'pings whose answers are not read (CVE-2019-9512)': async ({ send, socket }) => {
    socket.pause();
    for (let i = 0; i < 100; i++) await send(times(10_000, frame(FRAME.ping, 0, 0, Buffer.alloc(8))));
    socket.resume();
  },
  'settings whose acknowledgements are not read (CVE-2019-9515)': async ({ send, socket }) => {
    socket.pause();
    for (let i = 0; i < 100; i++) await send(times(10_000, frame(FRAME.settings, 0, 0, NOTHING)));
    socket.resume();
  },
  'one frame of 2,000 settings': ({ send }) =>
    send(frame(FRAME.settings, 0, 0, times(2_000, Buffer.from([0, 3, 0, 0, 0, 100])))),
  'empty DATA frames (CVE-2019-9518)': async ({ send }) => {
    await send(headersOf(1));
    for (let i = 0; i < 100; i++) await send(times(10_000, frame(FRAME.data, 0, 1, NOTHING)));
  },
  'a header list of 200 kB': ({ send }) => {
    const block = headerBlock({ ...callHeaders(Echo.open.path), 'x-large': 'z'.repeat(200_000) });
    const parts = Array.from({ length: Math.ceil(block.length / 16_000) }, (_, i) =>
      block.subarray(i * 16_000, (i + 1) * 16_000),
    );
    return send(
      ...parts.map((part, i) =>
        frame(i === 0 ? FRAME.headers : FRAME.continuation, i === parts.length - 1 ? FLAG.endHeaders : 0, 1, part),
      ),
    );
  },
  'bytes that are no frames': ({ send }) => send(Buffer.alloc(100_000, 0xa5)),
};

describe('a flood costs its connection only:', () => {
  let server: GrpcServer;
  let client: KitClient<typeof Echo>;
  let calls: Call[];
  let end: () => Promise<void>;
  beforeAll(async () => {
    ({ server, client, calls } = await serve());
    const own = closers.splice(0);
    end = async () => {
      for (const close of own.toReversed()) await close();
    };
  });
  afterAll(() => end());

  it.each(Object.entries(FLOODS))('%s', async (_what, flood) => {
    await client.open({ text: '' });
    calls.length = 0;
    const heap = process.memoryUsage().heapUsed;
    const attacker = await raw(server.address);
    const attack = flood(attacker);
    const honest = Array.from({ length: 5 }, () => client.open({ text: 'honest' }, { timeoutMs: 4_000 }));
    await Promise.all([attack, ...honest]);
    await attacker.closed;
    expect(calls).toHaveLength(honest.length);
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(100e6);
    await client.open({ text: '' });
  });

  it('whole calls that are reset at once reach no more handlers than a burst of resets is allowed', async () => {
    calls.length = 0;
    const attacker = await raw(server.address);
    const message = grpcMessage(NOTHING);
    await streams(attacker, 5_000, (id) => [
      headersOf(id),
      frame(FRAME.data, FLAG.endStream, id, message),
      frame(FRAME.resetStream, 0, id, CANCEL),
    ]);
    await attacker.closed;
    expect(calls.length).toBeLessThan(4_000);
    await client.open({ text: '' });
  });

  it.each(['GET / HTTP/1.1\r\nHost: core\r\n\r\n', 'P', 'POST /x HTTP/1.0\r\n\r\n'])('HTTP/1: %j', async (request) => {
    const [host, port] = server.address.split(':');
    const socket = connectTcp({ host: host!, port: Number(port) });
    closers.push(() => socket.destroy());
    let answer = '';
    socket.on('data', (bytes) => (answer += bytes.toString()));
    socket.write(request);
    if (request.length > 1) {
      await new Promise((resolve) => socket.once('end', resolve));
      expect(answer).toMatch(/^HTTP\/1\.1 505 [^]*Connection: close\r\n\r\nThis port speaks gRPC over HTTP\/2/);
    }
    await client.open({ text: '' });
  });

  it('HTTP/2 that is not gRPC', async () => {
    const session = connectHttp2(`http://${server.address}`);
    closers.push(() => session.destroy());
    const stream = session.request({ ':path': '/' });
    stream.resume();
    const answer = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
    expect(answer[':status']).toBe(415);
    await client.open({ text: '' });
  });

  it('500 headers cost the call only', async () => {
    calls.length = 0;
    const connection = await raw(server.address);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x-${i}`, '1']));
    await connection.send(headersOf(1, headerBlock({ ...callHeaders(Echo.open.path), ...many })));
    await vi.waitFor(() => expect(connection.frames()).toContain(FRAME.resetStream));
    expect(calls).toEqual([]);
  });
});

/** The trailers of a call whose body is this, whatever it says of itself. */
async function sendFramed(address: string, body: Buffer, headers: Record<string, string> = {}) {
  const session = connectHttp2(`http://${address}`);
  closers.push(() => session.destroy());
  const stream = session.request({ ...callHeaders(Echo.open.path), ...headers }, { endStream: false });
  stream.end(body);
  stream.resume();
  return new Promise<Record<string, unknown>>((resolve, reject) => {
    stream.once('response', resolve).once('error', reject);
  });
}

describe('a message', () => {
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

  it('of 5 MiB is refused by a typed error', async () => {
    const { server, client, calls } = await serve();
    const error = await send(server.address, Buffer.alloc(5 * 1024 * 1024), REQUEST_ID);
    expect(error.code).toBe(8);
    expect(error.metadata.get('grpc-retry-pushback-ms')).toEqual(['-1']);
    expect(decodeStatus(error.metadata.get('grpc-status-details-bin')[0] as Buffer)).toMatchObject({
      reason: 'MESSAGE_TOO_LARGE',
      requestId: 'too-large-1',
      violations: [{ message: expect.stringMatching(/larger than max/) }],
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
      'is packed as nobody knows',
      Buffer.from('?'),
      { 'grpc-encoding': 'br' },
      /unsupported encoding/,
      '12',
      'UNSUPPORTED_COMPRESSION',
    ],
  ])('that %s is refused by a typed error', async (_what, bytes, headers, told, code, reason) => {
    const { server, client, calls } = await serve();
    const answer = await sendFramed(server.address, grpcMessage(bytes, true), headers);
    expect(answer['grpc-status']).toBe(code);
    expect(details(answer['grpc-status-details-bin'])).toMatchObject({
      reason,
      requestId: expect.stringMatching(/^[\w-]{36}$/),
      violations: [{ message: expect.stringMatching(told) }],
    });
    expect(calls).toEqual([]);
    await client.open({ text: '' });
  });

  it.each([
    ['no', Buffer.alloc(0), /no request message/],
    ['half a', grpcMessage(NOTHING).subarray(0, 3), /no request message/],
    ['a second', Buffer.concat([grpcMessage(NOTHING), grpcMessage(NOTHING)]), /a second request message/],
  ])('%s message is refused by a typed error', async (_what, body, told) => {
    const { server } = await serve();
    const answer = await sendFramed(server.address, body);
    expect(answer['grpc-status']).toBe('3');
    expect(details(answer['grpc-status-details-bin'])).toMatchObject({
      reason: 'VALIDATION_ERROR',
      violations: [{ message: expect.stringMatching(told) }],
    });
  });

  it('after a deadline that is none is refused by a typed error', async () => {
    const { server } = await serve();
    const answer = await sendFramed(server.address, grpcMessage(NOTHING), { 'grpc-timeout': 'soon' });
    expect(answer['grpc-status']).toBe('3');
    expect(details(answer['grpc-status-details-bin'])).toMatchObject({ reason: 'VALIDATION_ERROR' });
  });
});

describe('credentials', () => {
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
  ])('%s are both seen, and so refused', async (_what, pairs) => {
    const { server, calls } = await serve();
    const connection = await raw(server.address);
    const block = Buffer.concat([
      headerBlock(callHeaders(Echo.unary.path)),
      ...pairs.map(([name, value]) => headerBlock({ [name!]: value! })),
    ]);
    await connection.send(headersOf(1, block), frame(FRAME.data, FLAG.endStream, 1, grpcMessage(NOTHING)));
    await vi.waitFor(() => expect(connection.frames()).toContain(FRAME.headers));
    expect(calls).toEqual([]);
  });

  it.each([[['key-1', 'key-2']]])('two API keys are both seen: %j', async (values) => {
    const { host, log, credentials: seen } = echoHost();
    const server = await serveGrpc(host, { host: '127.0.0.1', port: 0, trustedGateways: [], log });
    closers.push(() => server.close(0));
    const connection = await raw(server.address);
    const block = Buffer.concat([
      headerBlock(callHeaders(Echo.unary.path)),
      ...values.map((value) => headerBlock({ 'x-api-key': value })),
    ]);
    await connection.send(headersOf(1, block), frame(FRAME.data, FLAG.endStream, 1, grpcMessage(NOTHING)));
    await vi.waitFor(() => expect(seen).toEqual([{ authorization: [], apiKey: values }]));
  });
});

describe('an answer', () => {
  const TEXT = 'ab'.repeat(5_000);
  const callOf = (text: string) => Buffer.from(Echo.open.requestSerialize({ text }));

  it('carries the id of the request, that of the caller or a new one', async () => {
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
  ])('to %j is sent as %s', async (headers, encoding) => {
    const { server } = await serve();
    const session = connectHttp2(`http://${server.address}`);
    closers.push(() => session.destroy());
    const stream = session.request({ ...callHeaders(Echo.serverStream.path), ...headers }, { endStream: false });
    const got: Buffer[] = [];
    const answer = new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
    stream.on('data', (bytes: Buffer) => got.push(bytes));
    stream.end(grpcMessage(Buffer.from(Echo.serverStream.requestSerialize({ count: 2, size: TEXT.length, text: '' }))));
    await new Promise((resolve) => stream.once('end', resolve));
    expect((await answer)['grpc-encoding']).toBe(encoding);
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

  it('tells retry policies when to try again', async () => {
    const { server } = await serve();
    const answer = await sendFramed(server.address, grpcMessage(callOf('outage')), {});
    expect([answer['grpc-status'], answer['grpc-retry-pushback-ms']]).toEqual(['14', '1000']);
  });
});

describe('a deadline', () => {
  it.each(['597H', '99999999M', '2147484S'])('of %s is not over yet', async (timeout) => {
    const { server } = await serve();
    const answer = await sendFramed(server.address, grpcMessage(NOTHING), { 'grpc-timeout': timeout });
    expect(answer['grpc-status']).toBeUndefined();
  });
});

describe('a connection', () => {
  it.each([
    ['says nothing at all', false],
    ['says nothing after its preface', true],
  ])('that %s is closed', async (_what, preface) => {
    const { server } = await serve({ bounds: { keepaliveMs: 50, keepaliveTimeoutMs: 50 } });
    const connection = await raw(server.address, { preface });
    connection.socket.pause();
    await vi.waitFor(async () => {
      // Paused, it learns of its end by writing.
      await connection.send(frame(FRAME.ping, FLAG.ack, 0, Buffer.alloc(8)));
      expect(connection.isClosed()).toBe(true);
    });
  });

  it('of a known caller survives 3,000 cancelled calls in a row, and what is under way on it', async () => {
    const { server } = await serve({ streamResets: KNOWN_CALLERS });
    const session = connectHttp2(`http://${server.address}`);
    closers.push(() => session.destroy());
    const pending = session.request(callHeaders(Echo.bidi.path), { endStream: false });
    const ended = vi.fn();
    pending.once('close', ended).on('error', ended);
    for (let batch = 0; batch < 30; batch++) {
      const calls = Array.from({ length: 100 }, () => session.request(callHeaders(Echo.open.path)));
      const closed = calls.map((call) => new Promise((resolve) => call.once('close', resolve).on('error', () => {})));
      await new Promise(setImmediate);
      for (const call of calls) call.close(8);
      await Promise.all(closed);
    }
    await new Promise((resolve) => session.ping(resolve));
    expect(ended).not.toHaveBeenCalled();
    expect(session.closed).toBe(false);
  });

  it('announces how much metadata a call may carry, and refuses more for that call alone', async () => {
    const { server } = await serve();
    const session = connectHttp2(`http://${server.address}`);
    closers.push(() => session.destroy());
    const settings = await new Promise<Settings>((resolve) => session.once('remoteSettings', resolve));
    expect(settings.maxHeaderListSize).toBe(MAX_METADATA_BYTES);
    const pending = session.request(callHeaders(Echo.bidi.path), { endStream: false });
    const ended = vi.fn();
    pending.once('close', ended).on('error', ended);
    const large = session.request({ ...callHeaders(Echo.open.path), 'x-large': 'z'.repeat(56_000) });
    await new Promise((resolve) => large.once('close', resolve).on('error', () => {}));
    expect(large.rstCode).not.toBe(0);
    await new Promise((resolve) => session.ping(resolve));
    expect(ended).not.toHaveBeenCalled();
  });

  it('takes no more calls at its age, and clients go on with another without noticing', async () => {
    const { server, client, calls } = await serve({ bounds: { maxAgeMs: 150, maxAgeGraceMs: 1_000 } });
    const session = connectHttp2(`http://${server.address}`);
    closers.push(() => session.destroy());
    const goneAway = new Promise<number>((resolve) => session.once('goaway', resolve));
    let over = false;
    void goneAway.then(() => {
      over = true;
    });
    let made = 0;
    const keepCalling = async () => {
      for (; !over || made < 200; made++) await client.open({ text: '' });
    };
    await Promise.all(Array.from({ length: 8 }, keepCalling));
    expect(await goneAway).toBe(0);
    expect(calls).toHaveLength(made);
  });

  it('carries the streams that it has to their end after its age, whichever side sends keepalive pings', async () => {
    const keepalive = { keepaliveMs: 60, keepaliveTimeoutMs: 60 };
    const { server } = await serve({ bounds: { maxAgeMs: 100, maxAgeGraceMs: 20_000, ...keepalive } });
    const channel = grpcChannel({ target: server.address, ...keepalive });
    closers.push(channel.close);
    const messages = 25;
    async function* slowly() {
      for (let index = 0; index < messages; index++) {
        yield { text: String(index) };
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
    }
    const answers: string[] = [];
    for await (const { text } of channel.client(Echo).bidi(slowly())) answers.push(text);
    expect(answers).toHaveLength(messages);
  });
});

describe('the end of a server', () => {
  it('fails no call that crosses it', async () => {
    const first = await serve();
    const second = await serve();
    const channel = grpcChannel({ target: `ipv4:${first.server.address},${second.server.address}` });
    closers.push(channel.close);
    const client = channel.client(Echo);
    await vi.waitFor(async () => {
      await client.open({ text: '' });
      expect(first.calls.length * second.calls.length).toBeGreaterThan(0);
    });
    let made = 0;
    let over = false;
    const keepCalling = async () => {
      for (; !over || made < 200; made++) await client.open({ text: '' });
    };
    const calling = Promise.all(Array.from({ length: 8 }, keepCalling));
    await first.server.close(2_000);
    over = true;
    await calling;
  });

  it('comes after the grace, whatever is under way', async () => {
    const { server, client, calls } = await serve();
    const silent = await raw(server.address, { preface: false });
    const stuck = failure(client.unary({ text: 'hang', number: 0 }, { ...GOOD, timeoutMs: 15_000 }));
    await vi.waitFor(() => expect(calls).toHaveLength(1));
    const asked = performance.now();
    await server.close(100);
    expect(performance.now() - asked).toBeGreaterThan(90);
    expect(performance.now() - asked).toBeLessThan(3_000);
    expect((await stuck).reason).toBe('SERVICE_UNAVAILABLE');
    await vi.waitFor(() => expect(calls[0]!.deadline.signal.aborted).toBe(true));
    await silent.closed;
  });

  it('comes after the grace over TLS too, with peers that never shake hands', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
    closers.push(() => rmSync(folder, { recursive: true }));
    const made = makeCertificates({ server: { commonName: 'core', alternative: 'IP:127.0.0.1' } });
    const { server } = await serve({ tls: writeCertificates(folder, made).server });
    const [host, port] = server.address.split(':');
    const socket = connectTcp({ host: host!, port: Number(port) });
    closers.push(() => socket.destroy());
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    await server.close(100);
    await closed;
  });
});
