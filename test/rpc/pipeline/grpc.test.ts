// Parts of the gRPC transport without a local counterpart: peers, channels, starting and stopping servers.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { Client, Metadata, credentials } from '@grpc/grpc-js';
import type { ServiceError as GrpcError } from '@grpc/grpc-js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CertificateFiles } from '../../../src/platform/rpc/grpc/certificates.ts';
import { grpcChannel } from '../../../src/platform/rpc/grpc/client.ts';
import { serveGrpc } from '../../../src/platform/rpc/grpc/server.ts';
import type { GrpcServerOptions } from '../../../src/platform/rpc/grpc/server.ts';
import { makeCertificates, writeCertificates } from '../../support/certificates.ts';
import { Echo, echoHost, GOOD } from './echo-host.ts';
import { eventually } from '../../support/eventually.ts';
import { freezeTime, passTime } from '../../support/frozen-time.ts';
import { outcomeOf, refusal } from '../../support/rpc-outcomes.ts';

const CLAIMED = { clientAddress: '203.0.113.9' };
const closers: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closers.splice(0).toReversed()) await close();
});

async function serve(options: Partial<GrpcServerOptions> = {}) {
  const { host, log, ...seen } = echoHost();
  const server = await serveGrpc(host, { host: '127.0.0.1', port: 0, trustedGateways: [], log, ...options });
  closers.push(() => server.close(0));
  return { server, ...seen };
}

function connect(target: string, tls?: CertificateFiles) {
  const channel = grpcChannel({ target, tls });
  closers.push(channel.close);
  return channel.client(Echo);
}

describe('the client address', () => {
  it("is the peer's address on plain TCP, even if the peer claims another one", async () => {
    const { server } = await serve({ trustedGateways: ['localhost', '127.0.0.1', ''] });
    const client = connect(server.address);
    expect((await client.open({ text: '' }, CLAIMED)).clientAddress).toBe('127.0.0.1');
  });

  it('is an IPv4 one where IPv6 sockets accept it', async () => {
    const { server } = await serve({ host: '::' });
    const client = connect(`127.0.0.1:${server.port}`);
    expect((await client.open({ text: '' })).clientAddress).toBe('127.0.0.1');
    const overIpv6 = connect(`[::1]:${server.port}`);
    expect((await overIpv6.open({ text: '' })).clientAddress).toBe('::1');
  });

  it('is the address that a peer on a Unix socket sends', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rpc-pipeline-'));
    closers.push(() => rmSync(directory, { recursive: true }));
    const { server } = await serve({ host: `unix:${directory}/rpc.sock` });
    expect(statSync(`${directory}/rpc.sock`).mode & 0o777).toBe(0o660);
    const client = connect(server.address);
    expect((await client.open({ text: '' })).clientAddress).toBe('unix');
    expect((await client.open({ text: '' }, CLAIMED)).clientAddress).toBe(CLAIMED.clientAddress);
    expect((await client.open({ text: '' }, { clientAddress: '::ffff:192.0.2.1' })).clientAddress).toBe('192.0.2.1');
    expect((await client.open({ text: '' }, { clientAddress: 'not an address' })).clientAddress).toBe('unix');
  });

  it('is the address that a peer with a listed certificate sends, by any of its names', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rpc-pipeline-'));
    closers.push(() => rmSync(directory, { recursive: true }));
    const made = makeCertificates({
      server: { commonName: 'core', alternative: 'DNS:localhost,IP:127.0.0.1' },
      gateway: { commonName: 'gateway-1', alternative: 'DNS:gateway.internal,URI:spiffe://test/gateway' },
      other: { commonName: 'batch', alternative: 'DNS:batch.internal,DNS:x gateway-1' },
    });
    const certificates = writeCertificates(directory, made);
    const { ca } = certificates;
    const tls = { ...certificates.server, clientCa: ca };
    const address = async (trustedGateways: string[], pair: 'gateway' | 'other') => {
      const { server } = await serve({ tls, trustedGateways });
      const client = connect(`localhost:${server.port}`, { ca, ...certificates[pair] });
      return (await client.open({ text: '' }, CLAIMED)).clientAddress;
    };
    for (const name of ['gateway-1', 'gateway.internal', 'spiffe://test/gateway']) {
      expect(await address([name], 'gateway')).toBe(CLAIMED.clientAddress);
      expect(await address([name], 'other')).toMatch(/^(127\.0\.0\.1|::1)$/);
    }
    expect(await address([], 'gateway')).not.toBe(CLAIMED.clientAddress);

    let failed = 0;
    const { server, logged } = await serve({ tls, onFailedHandshake: () => (failed += 1) });
    const stranger = connect(`localhost:${server.port}`, { ca });
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await refusal(stranger.open({ text: '' }))).toMatchObject({ reason: 'SERVICE_UNAVAILABLE' });
    }
    await eventually(() => expect(failed).toBeGreaterThan(1));
    expect(logged.filter(({ msg }) => msg === 'TLS handshake failed')).toMatchObject([{ level: 40, failures: 1 }]);
  });
});

describe('a channel', () => {
  it('spreads its calls over every address of its target', async () => {
    const cores = [await serve(), await serve()];
    const client = connect(`ipv4:${cores.map(({ server }) => server.address).join(',')}`);
    // The second connection may come up after the first calls.
    await eventually(async () => {
      await client.open({ text: '' });
      expect(cores.every(({ calls }) => calls.length > 0)).toBe(true);
    });
    for (const { calls } of cores) calls.length = 0;
    for (let i = 0; i < 20; i++) await client.open({ text: '' });
    expect(cores.map(({ calls }) => calls.length)).toEqual([10, 10]);
  });

  it('fails at once while the core is down and recovers by itself', async () => {
    const { server } = await serve();
    const client = connect(server.address);
    await client.open({ text: '' });
    await server.close(0);
    // No call waits for its deadline.
    freezeTime();
    for (let i = 0; i < 3; i++) {
      expect(await refusal(client.open({ text: '' }))).toMatchObject({
        reason: 'SERVICE_UNAVAILABLE',
        retryAfterMs: 1000,
      });
    }
    await serve({ port: server.port });
    const open = () => client.open({ text: '' });
    for (let outcome = await outcomeOf(open()); outcome !== 'OK'; outcome = await outcomeOf(open())) await passTime(50);
  });

  it('fails at the deadline if the core accepts the connection and never responds', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    closers.push(() => silent.close());
    await eventually(() => expect(silent.listening).toBe(true));
    const client = connect(`127.0.0.1:${(silent.address() as AddressInfo).port}`);
    expect(await refusal(client.open({ text: '' }, { timeoutMs: 200 }))).toMatchObject({
      reason: 'DEADLINE_EXCEEDED',
    });
  });

  it('rejects calls after it is closed', async () => {
    const channel = grpcChannel({ target: '127.0.0.1:1' });
    const client = channel.client(Echo);
    channel.close();
    expect(await refusal(client.open({ text: '' }))).toMatchObject({ reason: 'SERVICE_UNAVAILABLE' });
  });

  it('returns MESSAGE_TOO_LARGE for messages above 4 MiB', async () => {
    const { server } = await serve();
    const client = connect(server.address);
    expect(await refusal(client.open({ text: 'x'.repeat(5 * 1024 * 1024) }))).toMatchObject({
      reason: 'MESSAGE_TOO_LARGE',
    });
    await client.open({ text: '' });
  });

  it('works after a call with too large headers', async () => {
    const { server } = await serve();
    const client = connect(server.address);
    expect(
      (await refusal(client.unary({ text: '', number: 0 }, { authorization: ['x'.repeat(200_000)] }))).reason,
    ).not.toBe('OK');
    await eventually(() => client.open({ text: '' }));
  });
});

describe('a server', () => {
  /** A client that knows nothing of the kit. */
  function raw(address: string, path: string, bytes: Buffer): Promise<GrpcError> {
    const client = new Client(address, credentials.createInsecure());
    closers.push(() => client.close());
    const same = (buffer: Buffer) => buffer;
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, same, same, bytes, new Metadata(), (error) => (error ? resolve(error) : reject()));
    });
  }

  it('rejects bytes that are not a message, after the check of the credential', async () => {
    const { server, calls } = await serve();
    const garbage = Buffer.from([0x0a, 0xff]);
    expect(await raw(server.address, Echo.open.path, garbage)).toMatchObject({
      code: 3,
      details: 'Request validation failed',
    });
    expect(await raw(server.address, Echo.unary.path, garbage)).toMatchObject({ code: 16 });
    expect(calls).toEqual([]);
  });

  it('returns UNIMPLEMENTED for unknown methods', async () => {
    const { server } = await serve();
    expect(await raw(server.address, '/kittest.v1.EchoService/Nothing', Buffer.alloc(0))).toMatchObject({ code: 12 });
  });

  it('waits for open calls before it closes, and cuts them off after the grace period', async () => {
    for (const { text, graceMs, reason } of [
      { text: 'untilAborted', graceMs: 50, reason: 'SERVICE_UNAVAILABLE' },
      { text: '', graceMs: 5000, reason: undefined },
    ]) {
      const { server, calls } = await serve();
      const client = connect(server.address);
      await client.open({ text: '' });
      const call = client.unary({ text, number: 1 }, GOOD).then(
        () => undefined,
        (error) => error.status.reason,
      );
      await eventually(() => expect(calls).toHaveLength(2));
      await server.close(graceMs);
      expect(await call).toBe(reason);
    }
  });

  it('rejects an address in use', async () => {
    const { server } = await serve();
    await expect(serve({ port: server.port })).rejects.toThrow('EADDRINUSE');
  });

  it('replaces the socket of a killed process, but never one in use', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rpc-pipeline-'));
    closers.push(() => rmSync(directory, { recursive: true }));
    const path = `${directory}/rpc.sock`;
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script]);
    expect(statSync(path).isSocket()).toBe(true);
    await serve({ host: `unix:${path}` });
    await expect(serve({ host: `unix:${path}` })).rejects.toThrow('EADDRINUSE');
    await connect(`unix:${path}`).open({ text: '' });
  });
});
