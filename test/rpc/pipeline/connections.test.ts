// The maximum age of connections, and the stop of a server.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectHttp2, type Settings } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { grpcChannel } from '../../../src/platform/rpc/grpc/client.ts';
import { KNOWN_CALLERS, MAX_METADATA_BYTES } from '../../../src/platform/rpc/grpc/patches/session-limits.ts';
import { makeCertificates, writeCertificates } from '../../support/certificates.ts';
import { Echo, GOOD } from './echo-host.ts';
import { closeAfterEach, closers, raw, serve } from './grpc-server.ts';
import { callHeaders, FLAG, FRAME, frame } from './raw-http2.ts';
import { refusal } from '../../support/rpc-outcomes.ts';
import { eventually } from '../../support/eventually.ts';

closeAfterEach();

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

  it('keeps open streams until their end beyond its maximum age, with keepalive pings of either side', async () => {
    // Without responses to its pings, the stream would end before its last message.
    const keepalive = { keepaliveMs: 60, keepaliveTimeoutMs: 600 };
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
    const responses: string[] = [];
    for await (const { text } of channel.client(Echo).bidi(slowly())) responses.push(text);
    expect(responses).toHaveLength(messages);
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
    const started = performance.now();
    await server.close(100);
    expect(performance.now() - started).toBeGreaterThan(90);
    expect(performance.now() - started).toBeLessThan(3_000);
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
