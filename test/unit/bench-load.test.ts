import { createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { openCaller } from '../../bench/load/caller.ts';
import { encodeRequest, readOptions } from '../../bench/load/options.ts';
import { summaryOf, textOf } from '../../bench/load/report.ts';
import { load } from '../../bench/load/run.ts';
import { LoginRequest } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { makeCertificates, writeCertificates } from '../support/certificates.ts';
import { emptyFolder } from '../support/service-process.ts';
import { testTiming } from '../support/timing.ts';

let server: Http2Server | undefined;
afterEach(() => void server?.close());

/** Serves calls in turn by these answers; resolves to a caller of it. */
async function callerOf(responses: readonly ((stream: ServerHttp2Stream, body: Buffer) => unknown)[]) {
  let calls = 0;
  server = createServer();
  server.on('stream', (stream: ServerHttp2Stream) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => responses[calls++ % responses.length]!(stream, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => void server!.listen(0, '127.0.0.1', resolve));
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const message = Buffer.from('request');
  return openCaller({
    target,
    connections: 2,
    path: '/a.B/C',
    message,
    metadata: { 'x-api-key': 'k' },
    timeoutMs: 500,
  });
}

function respond(stream: ServerHttp2Stream, status: number): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(status) }));
  stream.end(Buffer.from([0, 0, 0, 0, 0]));
}

it('counts outcomes by grpc-status, also in trailers-only responses', async () => {
  const bodies: Buffer[] = [];
  const caller = await callerOf([
    (stream, body) => {
      bodies.push(body);
      respond(stream, 0);
    },
    (stream) => respond(stream, 16),
    (stream) => stream.respond({ ':status': 200, 'grpc-status': '8' }, { endStream: true }),
    (stream) => stream.respond({ ':status': 503 }, { endStream: true }),
    (stream) => stream.close(),
  ]);
  const outcomes = [];
  for (let index = 0; index < 5; index += 1) outcomes.push(await caller.call());
  await caller.close();
  expect(outcomes).toEqual([0, 16, 8, 'HTTP 503', 'no response']);
  expect(bodies[0]).toEqual(Buffer.from([0, 0, 0, 0, 7, ...Buffer.from('request')]));
});

it('measures latencies of successes, with a given rate from the planned start', async () => {
  const time = testTiming();
  const clock = { now: time.now, wait: time.sleep };
  const caller = { call: () => time.sleep(40).then(() => 0) };
  const closing = load(caller, { concurrency: 4, durationMs: 400 }, clock);
  await time.advance(400);
  const closed = summaryOf(await closing);
  expect(closed).toMatchObject({ calls: 40, perSecond: 100, statuses: { OK: 40 } });
  expect([closed.latency['min'], closed.latency['max']]).toEqual([40, 40].map((ms) => expect.closeTo(ms, 1)));
  const opening = load(caller, { concurrency: 1, durationMs: 400, perSecond: 50 }, clock);
  await time.advance(400);
  const open = summaryOf(await opening);
  // One caller carries 25 calls a second: the last one of 10 was due after 180 ms, and begins after 360.
  expect(open).toMatchObject({ calls: 10, perSecond: 25 });
  expect([open.latency['min'], open.latency['max']]).toEqual([40, 220].map((ms) => expect.closeTo(ms, 0)));
  expect(textOf(closed)).toMatch(/^40 calls, 100\.0 per second\n {2}OK +40\nlatency of OK/);
});

it('encodes a request from JSON, or throws the reason', () => {
  const bytes = encodeRequest('authservice.session.v1.SessionService/Login', { username: 'alice', rememberMe: true });
  expect(LoginRequest.decode(bytes)).toMatchObject({ username: 'alice', rememberMe: true });
  expect(() => encodeRequest('authservice.session.v1.SessionService/Nothing', {})).toThrow('There is no RPC');
  expect(() => encodeRequest('authservice.business.v1.FileService/DownloadFile', {})).toThrow('is a stream');
  expect(() => encodeRequest('authservice.session.v1.SessionService/Login', { name: 1 })).toThrow(/name/);
});

it('starts no call before it is due, also if a timer fires early, and measures from the due time', async () => {
  let now = 1_000;
  const clock = {
    now: () => now,
    // Fires early, and has passed the time when it fires for the third time.
    wait: async (ms: number) => void (now += ms > 0.5 ? 0.7 * ms : ms),
  };
  const started: number[] = [];
  const call = async () => {
    started.push(now);
    now += 3;
    return 0;
  };
  const { latency } = await load({ call }, { concurrency: 1, durationMs: 50, perSecond: 100 }, clock);
  expect(started).toEqual([1_000, 1_010, 1_020, 1_030, 1_040].map((due) => expect.closeTo(due, 6)));
  expect(latency.min / 1e6).toBeCloseTo(3, 2);
  expect(latency.max / 1e6).toBeCloseTo(3, 2);
});

it('reads the target with its port, and the files of TLS', () => {
  const target = ['--target', 'https://core:50051'];
  expect(readOptions(['a.B/C', ...target, '--ca', 'ca', '--cert', 'c', '--key', 'k', '--rate', '5'])).toMatchObject({
    rpc: 'a.B/C',
    target: 'https://core:50051',
    ca: 'ca',
    cert: 'c',
    key: 'k',
    perSecond: 5,
  });
  expect(readOptions(['a.B/C', '--target', 'http://[::1]:80'])).toMatchObject({ target: 'http://[::1]:80' });
});

it.each([
  [[], '--target must be a URL with a port'],
  [['--target', 'http://127.0.0.1'], '--target must be a URL with a port'],
  [['--target', 'https://core'], '--target must be a URL with a port'],
  [['--target', '127.0.0.1:50051'], '--target must be a URL with a port'],
  [['--target', 'http://core:1', '--ca', 'ca.pem'], 'https://'],
  [['--target', 'https://core:1', '--cert', 'c.pem'], '--cert and --key need each other'],
  [['--target', 'http://core:1', '--rate', '0'], '--rate must be a number above 0'],
])('refuses the options %j', (args, message) => {
  expect(() => readOptions(['a.B/C', ...args])).toThrow(message);
});

it('presents the certificate of --cert and --key to a core with mutual TLS', async () => {
  const certificates = makeCertificates({
    core: { commonName: 'core', alternative: 'IP:127.0.0.1' },
    load: { commonName: 'load', alternative: 'DNS:load' },
  });
  const { ca, load: own } = writeCertificates(emptyFolder(), certificates);
  server = createSecureServer({ ...certificates.core, ca: certificates.ca, requestCert: true });
  server.on('stream', (stream: ServerHttp2Stream) => respond(stream, 0));
  await new Promise<void>((resolve) => void server!.listen(0, '127.0.0.1', resolve));
  const target = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { rpc, ...options } = readOptions([
    'a.B/C',
    '--target',
    target,
    '--ca',
    ca,
    '--cert',
    own.cert,
    '--key',
    own.key,
  ])!;
  const caller = await openCaller({ ...options, path: `/${rpc}`, message: new Uint8Array() });
  expect(await caller.call()).toBe(0);
  await caller.close();
});
