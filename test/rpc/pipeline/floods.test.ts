// Floods and foreign protocols on the gRPC port: each ends its connection, while others are served.
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GrpcServer } from '../../../src/platform/rpc/grpc/server.ts';
import type { Call, Client } from '../../../src/platform/rpc/types.ts';
import { Echo } from './echo-host.ts';
import { closeAfterEach, closers, headersOf, NOTHING, OPEN, raw, serve } from './grpc-server.ts';
import { callHeaders, FLAG, FRAME, frame, grpcMessage, headerBlock, type RawConnection } from './raw-http2.ts';
import { eventually } from '../../support/eventually.ts';

closeAfterEach();

const UNKNOWN = headerBlock(callHeaders('/kittest.v1.EchoService/Nothing'));
const TEXT = headerBlock({ ...callHeaders(Echo.open.path), 'content-type': 'text/plain' });
const NO_ERROR = Buffer.alloc(4);
const CANCEL = Buffer.from([0, 0, 0, 8]);
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
  'streams of an unknown method that are reset at once': (connection) =>
    streams(connection, 5_000, (id) => [headersOf(id, UNKNOWN), frame(FRAME.resetStream, 0, id, CANCEL)]),
  'streams of another content type that are reset at once': (connection) =>
    streams(connection, 5_000, (id) => [headersOf(id, TEXT), frame(FRAME.resetStream, 0, id, CANCEL)]),
  'streams of an unknown method that are reset at once, without an error': (connection) =>
    streams(connection, 5_000, (id) => [headersOf(id, UNKNOWN), frame(FRAME.resetStream, 0, id, NO_ERROR)]),
  'streams beyond the 1,000 that may be open': (connection) => streams(connection, 5_000, (id) => [headersOf(id)]),
  'CONTINUATION frames without an end (CVE-2024-27316)': async ({ send }) => {
    await send(frame(FRAME.headers, 0, 1, OPEN));
    const more = frame(FRAME.continuation, 0, 1, headerBlock({ 'x-more': 'y'.repeat(1_000) }));
    for (let i = 0; i < 20; i++) await send(times(500, more));
  },
  'pings whose responses are not read (CVE-2019-9512)': async ({ send, socket }) => {
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

describe('closes the connection, and only that, after', () => {
  let server: GrpcServer;
  let client: Client<typeof Echo>;
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
    const honest = Array.from({ length: 5 }, () => client.open({ text: 'honest' }, { timeoutMs: 20_000 }));
    await Promise.all([attack, ...honest]);
    await attacker.closed;
    expect(calls).toHaveLength(honest.length);
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(100e6);
    await client.open({ text: '' });
  });

  it('whole calls that are reset at once, of which at most a burst reaches handlers', async () => {
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

  it.each(['GET / HTTP/1.1\r\nHost: core\r\n\r\n', 'P', 'POST /x HTTP/1.0\r\n\r\n'])(
    'HTTP/1 instead of HTTP/2: %j',
    async (request) => {
      const [host, port] = server.address.split(':');
      const socket = connectTcp({ host: host!, port: Number(port) });
      closers.push(() => socket.destroy());
      let response = '';
      socket.on('data', (bytes) => (response += bytes.toString()));
      socket.write(request);
      if (request.length > 1) {
        await new Promise((resolve) => socket.once('end', resolve));
        expect(response).toMatch(/^HTTP\/1\.1 505 [^]*Connection: close\r\n\r\nThis port speaks gRPC over HTTP\/2/);
      }
      await client.open({ text: '' });
    },
  );

  it('an HTTP/2 request that is not gRPC: the call only, with 415', async () => {
    const session = connectHttp2(`http://${server.address}`);
    closers.push(() => session.destroy());
    const stream = session.request({ ':path': '/' });
    stream.resume();
    const response = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
    expect(response[':status']).toBe(415);
    await client.open({ text: '' });
  });

  it('500 headers: the call only', async () => {
    calls.length = 0;
    const connection = await raw(server.address);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x-${i}`, '1']));
    await connection.send(headersOf(1, headerBlock({ ...callHeaders(Echo.open.path), ...many })));
    await eventually(() => expect(connection.frames()).toContain(FRAME.resetStream));
    expect(calls).toEqual([]);
  });
});
