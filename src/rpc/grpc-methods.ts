// grpc-js's four kinds of server call, each adapted to the one exchange.
import type { Duplex, Writable } from 'node:stream';
import { Metadata } from '@grpc/grpc-js';
import type {
  Server,
  ServerDuplexStream,
  ServerReadableStream,
  ServerUnaryCall,
  ServerWritableStream,
  StatusObject,
  sendUnaryData,
} from '@grpc/grpc-js';
import { ServiceError } from '../errors.ts';
import { createCoreClock } from './absolute-deadline.ts';
import type { CoreClock } from './absolute-deadline.ts';
import { exchange } from './exchange.ts';
import type { Ends } from './exchange.ts';
import type { Peer } from './client-address.ts';
import type { ServerCall } from './grpc-peer.ts';
import { toGrpcStatus } from './grpc-status.ts';
import type { Host, Incoming } from './host.ts';
import { fromMetadata } from './metadata.ts';
import type { RpcError } from './rpc-error.ts';
import type { Method } from './service.ts';
import { TORN } from './torn-upload.ts';

/** The answer sets out this much before the caller's deadline, so that it arrives before the caller gives up. */
const MAX_MARGIN_MS = 250;
const MARGIN_SHARE = 0.1;

/** Registers methods that a host serves. Messages pass grpc-js as bytes: the pipeline sees to what cannot be coded. */
export function registerMethods(
  server: Server,
  host: Host,
  methods: readonly Method[],
  peerOf: (call: ServerCall) => Peer,
): void {
  const bytes = (message: Buffer) => message;
  const clock = createCoreClock();
  for (const method of methods) {
    const run = (call: ServerCall, ends: Pick<Ends, 'input' | 'write'>) =>
      exchange(host, method, incomingOf(call, peerOf(call), clock), { ...codecs(method), ...ends });
    const { path, requestStream, responseStream } = method.definition;
    const type = KINDS[`${requestStream}-${responseStream}`];
    server.register(path, HANDLERS[type](run, clock), bytes, bytes, type);
  }
}

type Run = (call: ServerCall, ends: Pick<Ends, 'input' | 'write'>) => Promise<unknown>;
type Kind = keyof typeof HANDLERS;

const KINDS: Record<`${boolean}-${boolean}`, Kind> = {
  'false-false': 'unary',
  'true-false': 'clientStream',
  'false-true': 'serverStream',
  'true-true': 'bidi',
};

const HANDLERS = {
  unary: (run: Run, clock: CoreClock) => (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) =>
    answer(run(call, { input: call.request, write: neverWritten }), callback, clock),
  clientStream:
    (run: Run, clock: CoreClock) => (call: ServerReadableStream<Buffer, Buffer>, callback: sendUnaryData<Buffer>) =>
      answer(run(call, { input: read(call), write: neverWritten }), callback, clock),
  serverStream: (run: Run, clock: CoreClock) => (call: ServerWritableStream<Buffer, Buffer>) =>
    finish(run(call, { input: call.request, write: writer(call) }), call, clock),
  bidi: (run: Run, clock: CoreClock) => (call: ServerDuplexStream<Buffer, Buffer>) =>
    finish(run(call, { input: read(call), write: writer(call) }), call, clock),
};

async function neverWritten(): Promise<void> {}

function answer(outcome: Promise<unknown>, callback: sendUnaryData<Buffer>, clock: CoreClock): void {
  outcome.then(
    (response) => callback(null, response as Buffer, clock.stamp(new Metadata())),
    (error: RpcError) => callback(failed(error, clock)),
  );
}

/** What both kinds of calls that answer with a stream have in common. */
interface Streaming {
  readonly cancelled: boolean;
  emit(event: 'error', status: StatusObject): unknown;
  end(trailers: Metadata): unknown;
}

function finish(outcome: Promise<unknown>, call: Streaming, clock: CoreClock): void {
  outcome.then(
    () => call.end(clock.stamp(new Metadata())),
    // grpc-js takes the status of a stream from this event and ends it.
    (error: RpcError) => call.cancelled || call.emit('error', failed(error, clock)),
  );
}

function failed(error: RpcError, clock: CoreClock): StatusObject {
  const status = toGrpcStatus(error.status);
  clock.stamp(status.metadata);
  return status;
}

/** Reads no further than asked; that nobody reads on does not destroy the side that answers. */
async function* read(
  call: ServerReadableStream<Buffer, Buffer> | ServerDuplexStream<Buffer, Buffer>,
): AsyncGenerator<Buffer> {
  yield* (call as unknown as Duplex).iterator({ destroyOnReturn: false });
  await demandWholeStream(call);
}

/**
 * HTTP/2 streams that were reset end like those that are complete, so that a torn upload would pass for a whole one.
 * Sending headers makes grpc-js look at the stream, and report the cancellation before the next turn of the loop.
 */
async function demandWholeStream(
  call: ServerReadableStream<Buffer, Buffer> | ServerDuplexStream<Buffer, Buffer>,
): Promise<void> {
  call.sendMetadata(new Metadata());
  await new Promise(setImmediate);
  if (call.cancelled) throw new ServiceError('CANCELLED');
}

/**
 * One message after the other: the stream's own buffer takes 16 of them, whatever their size. After a cancellation a write
 * stays unanswered, and the exchange has stopped waiting for it.
 */
function writer(call: Writable): (message: unknown) => Promise<void> {
  return (message) => new Promise((resolve) => call.write(message, () => resolve()));
}

function codecs({ definition }: Method): Pick<Ends, 'receive' | 'respond'> {
  return {
    receive(arrived) {
      if (TORN.equals(arrived as Buffer)) throw new ServiceError('CANCELLED');
      try {
        return definition.requestDeserialize(arrived as Buffer);
      } catch (cause) {
        throw new ServiceError('VALIDATION_ERROR', { detail: 'The message cannot be decoded', cause });
      }
    },
    respond: definition.responseSerialize,
  };
}

function incomingOf(call: ServerCall, peer: Peer, clock: CoreClock): Incoming {
  return {
    deadlineAt: deadlineOf(call, clock),
    onCancel(cancel) {
      if (call.cancelled) cancel();
      call.once('cancelled', cancel);
      return undefined;
    },
    peer,
    ...fromMetadata(call.metadata),
  };
}

function deadlineOf(call: ServerCall, clock: CoreClock): number | undefined {
  const counted = Number(call.getDeadline());
  const at = Math.min(counted, clock.deadlineAt(call.metadata));
  if (at === Infinity) return undefined;
  // The time that the caller gave, not what is left of it: the answer to a call that comes late takes no less.
  const given = Math.max(counted - Date.now(), 0);
  return at - Math.min(given * MARGIN_SHARE, MAX_MARGIN_MS);
}
