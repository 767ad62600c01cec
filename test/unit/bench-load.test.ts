import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { openCaller } from '../../bench/load/caller.ts';
import { encodeRequest } from '../../bench/load/encode-request.ts';
import { summaryOf, textOf } from '../../bench/load/report.ts';
import { load } from '../../bench/load/run.ts';
import { LoginRequest } from '../../proto/gen/authservice/session/v1/session_service.ts';

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
  const caller = await callerOf([(stream) => void sleep(40).then(() => respond(stream, 0))]);
  const closed = await load(caller, { concurrency: 4, durationMs: 400 });
  const open = await load(caller, { concurrency: 1, durationMs: 400, perSecond: 50 });
  await caller.close();
  const closedSummary = summaryOf(closed);
  expect(closedSummary.statuses).toEqual({ OK: closedSummary.calls });
  expect(closedSummary.latency['min']).toBeGreaterThanOrEqual(35);
  // One caller carries 25 calls a second: the later ones of 50 are late.
  expect(summaryOf(open).latency['max']).toBeGreaterThan(2 * 40);
  expect(textOf(closedSummary)).toMatch(/^\d+ calls, [\d.]+ per second\n {2}OK +\d+\nlatency of OK/);
});

it('encodes a request from JSON, or throws the reason', () => {
  const bytes = encodeRequest('authservice.session.v1.SessionService/Login', { username: 'alice', rememberMe: true });
  expect(LoginRequest.decode(bytes)).toMatchObject({ username: 'alice', rememberMe: true });
  expect(() => encodeRequest('authservice.session.v1.SessionService/Nothing', {})).toThrow('There is no RPC');
  expect(() => encodeRequest('authservice.business.v1.FileService/DownloadFile', {})).toThrow('is a stream');
  expect(() => encodeRequest('authservice.session.v1.SessionService/Login', { name: 1 })).toThrow(/name/);
});
