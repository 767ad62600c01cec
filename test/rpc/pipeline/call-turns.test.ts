// The calls of one gRPC connection that run at once, and its responses that are not read.
import { connect, type ClientHttp2Session, type ClientHttp2Stream, type Settings } from 'node:http2';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import type { ReasonName } from '../../../src/platform/errors.ts';
import { CONNECTION_LIMITS } from '../../../src/platform/rpc/grpc/call-turns.ts';
import { eventually } from '../../support/eventually.ts';
import { Echo } from './echo-host.ts';
import { closeAfterEach, closers, serve } from './grpc-server.ts';
import { callHeaders, grpcMessage } from './raw-http2.ts';

closeAfterEach();

const { maxOpen, maxUnsentBytes } = CONNECTION_LIMITS;
const LONG = 'x'.repeat(100_000);
const CANCEL = 8;

const cancelledOf = (outcomes: readonly (readonly [string, ReasonName | 'OK'])[]) =>
  outcomes.filter(([, reason]) => reason === 'CANCELLED').length;

async function openSession(address: string, settings: Settings = {}): Promise<ClientHttp2Session> {
  const isUnix = address.startsWith('unix:');
  const target = isUnix ? { path: address.slice(5) } : {};
  const session = connect(isUnix ? 'http://core' : `http://${address}`, { ...target, settings });
  closers.push(() => session.destroy());
  await new Promise<void>((resolve) => session.once('remoteSettings', () => resolve()));
  return session;
}

function send(session: ClientHttp2Session, text: string, headers: Record<string, string> = {}): ClientHttp2Stream {
  const stream = session.request({ ...callHeaders(Echo.unary.path), authorization: 'Bearer good', ...headers });
  stream.on('error', () => undefined).resume();
  stream.end(grpcMessage(Buffer.from(Echo.unary.requestSerialize({ text, number: 0 }))));
  return stream;
}

/** Sends a call that never ends. */
const hang = (session: ClientHttp2Session) => send(session, 'hang');

/** Returns the status of a call. */
function statusOf(stream: ClientHttp2Stream): Promise<unknown> {
  return new Promise((resolve) => {
    const resolveWithStatus = (headers: Record<string, unknown>) => {
      if (headers['grpc-status'] !== undefined) resolve(headers['grpc-status']);
    };
    stream.on('response', resolveWithStatus).on('trailers', resolveWithStatus);
  });
}

/** Resolves when the server has handled everything that was sent to it before. */
async function settled(session: ClientHttp2Session): Promise<void> {
  for (let count = 0; count < 10; count += 1) await new Promise<void>((resolve) => session.ping(() => resolve()));
}

it('are limited, and waiting ones start when others end or are cancelled', async () => {
  const { server, calls, client } = await serve();
  const session = await openSession(server.address);
  const hanging = Array.from({ length: 2 * maxOpen }, () => hang(session));
  await eventually(() => expect(calls).toHaveLength(maxOpen));
  await settled(session);
  expect(calls).toHaveLength(maxOpen);
  // Another connection.
  await client.open({ text: '' });
  for (const stream of hanging.slice(0, 10)) stream.close(CANCEL);
  await eventually(() => expect(calls).toHaveLength(maxOpen + 11));
});

it('do not include streams', async () => {
  const { calls, client } = await serve();
  const streams = Array.from({ length: maxOpen + 1 }, () =>
    client.serverStream({ count: 1_000, size: 100_000, text: '' })[Symbol.asyncIterator](),
  );
  for (const stream of streams) await stream.next();
  await client.open({ text: '' });
  expect(calls).toHaveLength(maxOpen + 2);
  for (const stream of streams) await stream.return!();
});

it('are not limited for a trusted gateway', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rpc-pipeline-'));
  closers.push(() => rmSync(directory, { recursive: true }));
  const { server, calls } = await serve({ host: `unix:${directory}/core.sock` });
  const session = await openSession(server.address);
  for (let count = 0; count < 3 * maxOpen; count += 1) hang(session);
  await eventually(() => expect(calls).toHaveLength(3 * maxOpen));
});

describe('of a client that does not read its responses', () => {
  const closed = { initialWindowSize: 0 };
  const opened = { initialWindowSize: 1_000_000 };

  it('wait, and start when it reads', async () => {
    const { server, calls, client } = await serve();
    const session = await openSession(server.address, closed);
    const statuses = Array.from({ length: 3 * maxOpen }, () => statusOf(send(session, 'short')));
    await eventually(() => expect(calls).toHaveLength(maxOpen));
    await settled(session);
    expect(calls).toHaveLength(maxOpen);
    // Another connection.
    await client.open({ text: '' });
    session.settings(opened);
    expect(new Set(await Promise.all(statuses))).toEqual(new Set(['0']));
    expect(calls).toHaveLength(3 * maxOpen + 1);
  });

  it('wait if few responses are large', async () => {
    const { server, calls } = await serve();
    const session = await openSession(server.address, closed);
    const count = Math.ceil(maxUnsentBytes / LONG.length);
    const statuses: Promise<unknown>[] = [];
    for (let sent = 1; sent <= count; sent += 1) {
      statuses.push(statusOf(send(session, LONG)));
      await eventually(() => expect(calls).toHaveLength(sent));
    }
    statuses.push(statusOf(send(session, 'short')));
    await settled(session);
    expect(calls).toHaveLength(count);
    session.settings(opened);
    expect(new Set(await Promise.all(statuses))).toEqual(new Set(['0']));
  });

  it('end at their deadline, before they start', async () => {
    const { server, calls } = await serve();
    const session = await openSession(server.address, closed);
    for (let count = 0; count < maxOpen; count += 1) send(session, 'short');
    const late = send(session, 'short', { 'grpc-timeout': '200m' });
    expect(await statusOf(late)).toBe(String(status.DEADLINE_EXCEEDED));
    expect(calls).toHaveLength(maxOpen);
  });

  it('end when they are cancelled, and give way to others', async () => {
    const { server, calls, outcomes } = await serve();
    const session = await openSession(server.address, closed);
    const first = Array.from({ length: maxOpen }, () => send(session, 'short'));
    await eventually(() => expect(calls).toHaveLength(maxOpen));
    const waiting = Array.from({ length: 10 }, () => send(session, 'short'));
    await settled(session);
    for (const stream of waiting) stream.close(CANCEL);
    await eventually(() => expect(cancelledOf(outcomes)).toBe(10));
    const last = send(session, 'short');
    for (const stream of first) stream.close(CANCEL);
    session.settings(opened);
    expect(await statusOf(last)).toBe('0');
    expect(calls).toHaveLength(maxOpen + 1);
  });

  it('end with their connection', async () => {
    const { server, calls, outcomes } = await serve();
    const session = await openSession(server.address, closed);
    for (let count = 0; count < maxOpen + 10; count += 1) send(session, 'short');
    await eventually(() => expect(calls).toHaveLength(maxOpen));
    await settled(session);
    session.destroy();
    await eventually(() => expect(cancelledOf(outcomes)).toBe(10));
    expect(calls).toHaveLength(maxOpen);
  });
});
