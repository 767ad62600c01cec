// What a peer can do to the gRPC port below gRPC. Whatever it is, it costs that peer its connection or its call, and others
// are answered all the while.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Client, Metadata, credentials } from '@grpc/grpc-js';
import type { ServiceError as GrpcError } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { grpcChannel } from '../../src/rpc/grpc-client.ts';
import { serveGrpc } from '../../src/rpc/grpc-server.ts';
import type { GrpcServer, GrpcServerOptions } from '../../src/rpc/grpc-server.ts';
import { decodeStatus } from '../../src/rpc/status-details.ts';
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
    expect(calls.length).toBeLessThan(3_000);
    await client.open({ text: '' });
  });

  it('HTTP/1.1', async () => {
    const connection = await raw(server.address, { preface: false });
    await connection.send(Buffer.from('GET / HTTP/1.1\r\nHost: core\r\n\r\n'));
    await connection.closed;
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
async function sendFramed(address: string, body: Buffer, headers: Record<string, string>) {
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

  const details = (bytes: unknown) => decodeStatus(Buffer.from(String(bytes), 'base64'));

  it('of 5 MiB is refused by a typed error', async () => {
    const { server, client, calls } = await serve();
    const error = await send(server.address, Buffer.alloc(5 * 1024 * 1024));
    expect(error.code).toBe(3);
    expect(decodeStatus(error.metadata.get('grpc-status-details-bin')[0] as Buffer)).toMatchObject({
      reason: 'VALIDATION_ERROR',
      violations: [{ message: expect.stringMatching(/larger than max/) }],
    });
    expect(calls).toEqual([]);
    await client.open({ text: '' });
  });

  it.each([
    ['unpacks to 50 MiB', gzipSync(Buffer.alloc(50 * 1024 * 1024)), { 'grpc-encoding': 'gzip' }, /larger than/],
    ['cannot be unpacked', Buffer.from('garbage'), { 'grpc-encoding': 'gzip' }, /decompress/],
    ['is packed as nobody knows', Buffer.from('?'), { 'grpc-encoding': 'br' }, /unsupported encoding/],
  ])('that %s is refused by a typed error', async (_what, bytes, headers, told) => {
    const { server, client, calls } = await serve();
    const answer = await sendFramed(server.address, grpcMessage(bytes, true), headers);
    expect(answer['grpc-status']).toBe('3');
    expect(details(answer['grpc-status-details-bin'])).toMatchObject({
      reason: 'VALIDATION_ERROR',
      violations: [{ message: expect.stringMatching(told) }],
    });
    expect(calls).toEqual([]);
    await client.open({ text: '' });
  });

  it('after a deadline that is none is refused by a typed error', async () => {
    const { server } = await serve();
    const answer = await sendFramed(server.address, grpcMessage(NOTHING), { 'grpc-timeout': 'soon' });
    expect(answer['grpc-status']).toBe('3');
    expect(details(answer['grpc-status-details-bin'])).toMatchObject({ reason: 'VALIDATION_ERROR' });
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
