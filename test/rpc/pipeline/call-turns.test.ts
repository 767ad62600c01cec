// The calls of one gRPC connection that run at once.
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CALL_TURN_LIMITS } from '../../../src/rpc/grpc/call-turns.ts';
import { eventually } from '../../support/eventually.ts';
import { Echo } from './echo-host.ts';
import { closeAfterEach, closers, serve } from './grpc-server.ts';
import { callHeaders, grpcMessage } from './raw-http2.ts';

closeAfterEach();

const { maxRunning } = CALL_TURN_LIMITS;
const CANCEL = 8;

async function openSession(address: string): Promise<ClientHttp2Session> {
  const isUnix = address.startsWith('unix:');
  const session = connect(isUnix ? 'http://core' : `http://${address}`, isUnix ? { path: address.slice(5) } : {});
  closers.push(() => session.destroy());
  await new Promise<void>((resolve) => session.once('remoteSettings', () => resolve()));
  return session;
}

/** Sends a call that never ends. */
function hang(session: ClientHttp2Session): ClientHttp2Stream {
  const stream = session.request({ ...callHeaders(Echo.unary.path), authorization: 'Bearer good' });
  stream.on('error', () => undefined).resume();
  stream.end(grpcMessage(Buffer.from(Echo.unary.requestSerialize({ text: 'hang', number: 0 }))));
  return stream;
}

/** Resolves when the server has handled everything that was sent to it before. */
async function settled(session: ClientHttp2Session): Promise<void> {
  for (let count = 0; count < 10; count += 1) await new Promise<void>((resolve) => session.ping(() => resolve()));
}

it('are limited, and waiting ones start when others end or are cancelled', async () => {
  const { server, calls, client } = await serve();
  const session = await openSession(server.address);
  const hanging = Array.from({ length: 2 * maxRunning }, () => hang(session));
  await eventually(() => expect(calls).toHaveLength(maxRunning));
  await settled(session);
  expect(calls).toHaveLength(maxRunning);
  // Another connection.
  await client.open({ text: '' });
  for (const stream of hanging.slice(0, 10)) stream.close(CANCEL);
  await eventually(() => expect(calls).toHaveLength(maxRunning + 11));
});

it('do not include streams', async () => {
  const { calls, client } = await serve();
  const streams = Array.from({ length: maxRunning + 1 }, () =>
    client.serverStream({ count: 1_000, size: 100_000, text: '' })[Symbol.asyncIterator](),
  );
  for (const stream of streams) await stream.next();
  await client.open({ text: '' });
  expect(calls).toHaveLength(maxRunning + 2);
  for (const stream of streams) await stream.return!();
});

it('are not limited for a trusted gateway', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rpc-pipeline-'));
  closers.push(() => rmSync(directory, { recursive: true }));
  const { server, calls } = await serve({ host: `unix:${directory}/core.sock` });
  const session = await openSession(server.address);
  for (let count = 0; count < 3 * maxRunning; count += 1) hang(session);
  await eventually(() => expect(calls).toHaveLength(3 * maxRunning));
});
