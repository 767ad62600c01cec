// The bytes of requests that a server keeps for untrusted connections: messages that do not end, and calls that wait for their turn.
import { EventEmitter } from 'node:events';
import { connect, type ClientHttp2Session, type ClientHttp2Stream, type ServerHttp2Stream } from 'node:http2';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { CONNECTION_LIMITS } from '../../../src/platform/rpc/grpc/call-turns.ts';
import { CALL_BYTES, createRequestBytes } from '../../../src/platform/rpc/grpc/request-bytes.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { Echo } from './echo-host.ts';
import { closeAfterEach, closers, serve } from './grpc-server.ts';
import { callHeaders, grpcMessage } from './raw-http2.ts';

closeAfterEach();

const LIMITS = { perConnection: 140_000, perProcess: 400_000 };
const RESOURCE_EXHAUSTED = '8';
const ENHANCE_YOUR_CALM = 11;
/** A call sends this much, without its end. With its headers and its own memory, it takes less than a tenth of the limit of a connection. */
const SENT = 9_000;
const WHOLE = grpcMessage(Buffer.from(Echo.unary.requestSerialize({ text: 'x'.repeat(2 * SENT), number: 0 })));

function openSession(address: string): ClientHttp2Session {
  const isUnix = address.startsWith('unix:');
  const session = isUnix ? connect('http://core', { path: address.slice(5) }) : connect(`http://${address}`);
  closers.push(() => session.destroy());
  return session.on('error', () => undefined);
}

/** A call, and how it ended. */
interface Begun {
  readonly stream: ClientHttp2Stream;
  /** The gRPC status, or the code of the reset; undefined while the call is open. */
  outcome(): string | number | undefined;
}

function begin(
  session: ClientHttp2Session,
  sent: Buffer,
  headers: Record<string, string> = {},
  path: string = Echo.unary.path,
) {
  const stream = session.request(
    { ...callHeaders(path), authorization: 'Bearer good', ...headers },
    { endStream: false },
  );
  let outcome: string | number | undefined;
  const note = ({ 'grpc-status': status }: Record<string, unknown>) => void (outcome ??= status as string | undefined);
  stream
    .on('response', note)
    .on('trailers', note)
    .on('error', () => undefined)
    .resume();
  stream.on('close', () => void (outcome ??= stream.rstCode));
  stream.write(sent);
  return { stream, outcome: () => outcome } satisfies Begun;
}

/** Begins calls that do not end. */
const beginMany = (
  count: number,
  ...[session, headers, path]: [ClientHttp2Session, Record<string, string>?, string?]
) => Array.from({ length: count }, () => begin(session, WHOLE.subarray(0, SENT), headers, path));
const openOf = (calls: readonly Begun[]) => calls.filter(({ outcome }) => outcome() === undefined);

async function finish({ stream, outcome }: Begun): Promise<string | number | undefined> {
  stream.end(WHOLE.subarray(SENT));
  return eventually(() => {
    expect(outcome()).toBeDefined();
    return outcome();
  });
}

it('end further calls of a connection above its limit, and no others', async () => {
  const { server, client } = await serve({ requestBytes: LIMITS });
  const session = openSession(server.address);
  const calls = beginMany(20, session);
  await eventually(() => expect(openOf(calls)).toHaveLength(10));
  expect(new Set(calls.map(({ outcome }) => outcome()))).toEqual(new Set([undefined, RESOURCE_EXHAUSTED]));
  expect(openOf(beginMany(1, openSession(server.address)))).toHaveLength(1);
  await client.open({ text: '' });
  const [first, second, third] = openOf(calls);
  // The rest of a message counts too.
  for (const { stream } of [first!, second!]) stream.close();
  await new Promise((resolve) => session.ping(resolve));
  expect(await finish(third!)).toBe('0');
  await eventually(async () => expect(await finish(begin(session, WHOLE.subarray(0, SENT)))).toBe('0'));
});

it('count the memory of calls of which only headers have arrived', async () => {
  const { server } = await serve({ requestBytes: LIMITS });
  const session = openSession(server.address);
  const calls = Array.from({ length: 50 }, () => begin(session, Buffer.alloc(0)));
  const most = Math.floor(LIMITS.perConnection / CALL_BYTES);
  await eventually(() => expect(openOf(calls).length).toBeLessThan(most));
});

it.each([
  ['a compressed call', { 'grpc-encoding': 'gzip' }, Echo.unary.path],
  ['a stream of responses', {}, Echo.serverStream.path],
])('reset %s that grpc-js reads', async (_name, headers, path) => {
  const { server } = await serve({ requestBytes: LIMITS });
  const calls = beginMany(20, openSession(server.address), headers, path);
  await eventually(() => expect(openOf(calls)).toHaveLength(10));
  expect(new Set(calls.map(({ outcome }) => outcome()))).toEqual(new Set([undefined, ENHANCE_YOUR_CALM]));
});

it('count as objects where grpc-js keeps each part', async () => {
  const { server } = await serve({ requestBytes: LIMITS });
  const { stream, outcome } = begin(openSession(server.address), WHOLE.subarray(0, 5), { 'grpc-encoding': 'gzip' });
  for (let sent = 0; sent < 1_000 && !stream.closed; sent += 1) {
    const written = new Promise((resolve) => stream.write(Buffer.of(0), resolve));
    await Promise.race([written, new Promise((resolve) => stream.once('close', resolve))]);
  }
  await eventually(() => expect(outcome()).toBe(ENHANCE_YOUR_CALM));
});

it('end all calls of the fullest connection above the limit of the process', async () => {
  const { server } = await serve({ requestBytes: LIMITS });
  const counts = [10, 9, 9];
  const full: Begun[][] = [];
  for (const count of counts) {
    const calls = beginMany(count, openSession(server.address));
    await Promise.all(calls.map(({ stream }) => new Promise((resolve) => stream.session!.ping(resolve))));
    full.push(calls);
  }
  const small = beginMany(3, openSession(server.address));
  await eventually(() => expect(openOf(full[0]!)).toHaveLength(0));
  expect(full.map((calls) => openOf(calls).length)).toEqual([0, 9, 9]);
  expect(await Promise.all(small.map(finish))).toEqual(small.map(() => '0'));
});

/** Begins as many calls as may run at once. Returns them when they run. */
async function occupy(session: ClientHttp2Session, started: readonly unknown[]): Promise<Begun[]> {
  const hanging = grpcMessage(Buffer.from(Echo.unary.requestSerialize({ text: 'hang', number: 0 })));
  const running = Array.from({ length: CONNECTION_LIMITS.maxOpen }, () => begin(session, hanging));
  for (const { stream } of running) stream.end();
  await eventually(() => expect(started).toHaveLength(CONNECTION_LIMITS.maxOpen));
  return running;
}

it('end calls that wait for their turn', async () => {
  const { server, calls: started } = await serve({ requestBytes: LIMITS });
  const session = openSession(server.address);
  await occupy(session, started);
  const waiting = Array.from({ length: 20 }, () => begin(session, WHOLE));
  for (const { stream } of waiting) stream.end();
  // Each has twice as many bytes as a call that does not end.
  await eventually(() => expect(openOf(waiting)).toHaveLength(6));
  expect(new Set(waiting.map(({ outcome }) => outcome()))).toEqual(new Set([undefined, RESOURCE_EXHAUSTED]));
});

it('are copied while their call waits for its turn, so that they keep nothing else of what was read with them', async () => {
  const { server, calls: started } = await serve({ requestBytes: LIMITS });
  const session = openSession(server.address);
  const [running] = await occupy(session, started);
  const decode = vi.spyOn(Echo.unary, 'requestDeserialize');
  closers.push(() => decode.mockRestore());
  const waiting = begin(session, WHOLE);
  waiting.stream.end();
  await new Promise((resolve) => session.ping(resolve));
  running!.stream.close();
  await eventually(() => expect(waiting.outcome()).toBe('0'));
  const request = decode.mock.calls[0]![0];
  expect(request.buffer.byteLength).toBe(request.length);
});

it('have no limit for a trusted gateway', async () => {
  const { server } = await serve({ requestBytes: LIMITS, host: `unix:${join(temporaryFolder('rpc-'), 'core.sock')}` });
  const calls = beginMany(40, openSession(server.address));
  expect(await Promise.all(calls.map(finish))).toEqual(calls.map(() => '0'));
});

it('are released with their stream, or before, once', () => {
  const bytes = createRequestBytes(LIMITS);
  const session = {};
  const openStream = () => Object.assign(new EventEmitter(), { session }) as unknown as ServerHttp2Stream;
  const refused: string[] = [];
  const [one, other] = [openStream(), openStream()];
  const kept = bytes.keep(one, 60_000, () => refused.push('one'));
  bytes.keep(other, 30_000, () => refused.push('other'));
  expect(bytes.total).toBe(90_000 + 2 * CALL_BYTES);
  kept.release();
  one.emit('close');
  kept.add(1_000);
  expect(bytes.total).toBe(30_000 + CALL_BYTES);
  other.emit('close');
  expect([bytes.total, refused]).toEqual([0, []]);
  bytes.keep(openStream(), LIMITS.perConnection + 1, () => refused.push('third'));
  expect([bytes.total, refused]).toEqual([0, ['third']]);
});
