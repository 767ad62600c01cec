// The maximum age of connections, and the stop of a server.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectHttp2, type Settings } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { grpcChannel } from '../../../src/platform/rpc/grpc/client.ts';
import { KNOWN_CALLERS, MAX_METADATA_BYTES } from '../../../src/platform/rpc/grpc/patches/session-limits.ts';
import { makeCertificates, writeCertificates } from '../../support/certificates.ts';
import { Echo, GOOD } from './echo-host.ts';
import { closeAfterEach, closers, raw, serve } from './grpc-server.ts';
import { callHeaders, FLAG, FRAME, frame, grpcMessage } from './raw-http2.ts';
import { refusal } from '../../support/rpc-outcomes.ts';
import { eventually } from '../../support/eventually.ts';
import { freezeTime, passTime } from '../../support/frozen-time.ts';

closeAfterEach();
afterEach(() => vi.useRealTimers());

describe('a connection', () => {
  it.each([
    ['says nothing at all', false],
    ['says nothing after its preface', true],
  ])('that %s is closed', async (_what, preface) => {
    const { server } = await serve({ bounds: { keepaliveMs: 50, keepaliveTimeoutMs: 50 } });
    const connection = await raw(server.address, { preface });
    connection.socket.pause();
    await eventually(async () => {
      // Paused, it learns of its end by writing.
      await connection.send(frame(FRAME.ping, FLAG.ack, 0, Buffer.alloc(8)));
      expect(connection.isClosed()).toBe(true);
    });
  });

  it('of a known caller survives 3,000 cancelled calls in a row, with the calls in progress on it', async () => {
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

  it('takes more bytes of all streams in a round trip than of one', async () => {
    const { server } = await serve();
    const session = connectHttp2(`http://${server.address}`);
    closers.push(() => session.destroy());
    const call = session.request(callHeaders(Echo.open.path));
    call.resume().end(grpcMessage(Echo.open.requestSerialize({ text: '' })));
    await once(call, 'close');
    const { remoteWindowSize = 0 } = session.state;
    expect(remoteWindowSize).toBeGreaterThan(4 * session.remoteSettings.initialWindowSize!);
  });

  it('announces the maximum size of metadata, and rejects only the call that exceeds it', async () => {
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

  it('rejects new calls at its maximum age, and clients continue on another connection without an error', async () => {
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

  it('keeps open streams until their end beyond its maximum age, and pings the caller', async () => {
    const bounds = { maxAgeMs: 150, maxAgeGraceMs: 60_000, keepaliveMs: 20, keepaliveTimeoutMs: 20_000 };
    const { server } = await serve({ bounds });
    const session = connectHttp2(`http://${server.address}`);
    closers.push(() => session.destroy());
    let pings = 0;
    session.on('ping', () => (pings += 1));
    const goneAway = once(session, 'goaway');
    const stream = session.request(callHeaders(Echo.bidi.path), { endStream: false });
    const trailers = once(stream, 'trailers');
    const send = async (text: string) => {
      const response = once(stream, 'data');
      stream.write(grpcMessage(Echo.bidi.requestSerialize({ text })));
      await response;
    };
    await send('before');
    await eventually(() => expect(pings).toBeGreaterThan(0));
    await goneAway;
    await send('after');
    stream.end();
    expect((await trailers)[0]).toMatchObject({ 'grpc-status': '0' });
  });
});

describe('a stopping server', () => {
  it('fails no call that arrives meanwhile', async () => {
    const first = await serve();
    const second = await serve();
    const channel = grpcChannel({ target: `ipv4:${first.server.address},${second.server.address}` });
    closers.push(channel.close);
    const client = channel.client(Echo);
    await eventually(async () => {
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

  it('ends after the grace period, even with calls in progress', async () => {
    const { server, client, calls } = await serve();
    const silent = await raw(server.address, { preface: false });
    const stuck = refusal(client.unary({ text: 'hang', number: 0 }, { ...GOOD, timeoutMs: 15_000 }));
    await eventually(() => expect(calls).toHaveLength(1));
    freezeTime();
    const closed = vi.fn();
    const closing = server.close(100).then(closed);
    await passTime(99);
    expect(closed).not.toHaveBeenCalled();
    await passTime(1);
    await closing;
    vi.useRealTimers();
    expect((await stuck).reason).toBe('SERVICE_UNAVAILABLE');
    await eventually(() => expect(calls[0]!.deadline.signal.aborted).toBe(true));
    await silent.closed;
  });

  it('ends after the grace period over TLS too, if peers never complete the handshake', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rpc-pipeline-'));
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
