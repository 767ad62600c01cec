import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import {
  Channel,
  type ChannelCredentials,
  type ChannelOptions,
  type VerifyOptions,
  credentials,
  experimental,
} from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { bareError, orInternalError } from '../errors/rpc-error.ts';
import { boundInput } from '../pipeline/input.ts';
import { stopIterator } from '../pipeline/streams.ts';
import type { CallOptions, Client, MethodDefinition, ServiceDefinition } from '../types.ts';
import { type MonotonicClock, createCoreClocks } from './absolute-deadline.ts';
import { type GrpcCall, startGrpcCall } from './call.ts';
import { type CertificateFiles, type ObserveCertificates, type Repeat, watchCertificates } from './certificates.ts';
import { prepareSessions } from './patches/http2-sessions.ts';

interface GrpcChannelOptions {
  /** `dns:///core:50051`, `ipv4:10.0.0.1:50051,10.0.0.2:50051`, `unix:/path`. */
  readonly target: string;
  /** If set, even without files, the connection uses TLS. */
  readonly tls?: ClientTls | undefined;
  /** Timeout of a call if its own options set none, in milliseconds. Default: 5000. */
  readonly timeoutMs?: number;
  /** Full paths of methods without side effects. Their calls are sent again if a connection fails. Default: none. */
  readonly readOnlyMethods?: ReadonlySet<string>;
  /** Default: the clock of the process. */
  readonly clock?: MonotonicClock;
  /** How often a connection with open calls sends a keepalive ping, in milliseconds. Default: 20000. */
  readonly keepaliveMs?: number;
  /** How long the core may take to respond to the ping, in milliseconds. Default: 5000. */
  readonly keepaliveTimeoutMs?: number;
}

/** The certificates that a client checks and presents. Changed files are reloaded. */
export interface ClientTls extends CertificateFiles {
  /** Logs every change. Default: no logging. */
  readonly log?: Logger;
  /** When the files are checked. Default: every 5 s. */
  readonly repeat?: Repeat;
  /** Receives the certificates in use. */
  readonly observe?: ObserveCertificates;
}

export interface GrpcChannel {
  client<D extends ServiceDefinition>(definition: D): Client<D>;
  close(): void;
}

const OPTIONS: ChannelOptions = {
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  'grpc.service_config_disable_resolution': 1,
  // Otherwise, channels to one target would share a connection.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_channelz': 0,
  'grpc.enable_retries': 0,
  // Data buffered for retries counts as written and would hide how fast the server reads.
  'grpc.per_rpc_retry_buffer_size': 0,
  'grpc.enable_http_proxy': 0,
  // The largest page of orders takes 18 MB.
  'grpc.max_receive_message_length': 32 * 1024 * 1024,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
};

type Start = (options: CallOptions, elapsedMs: number) => GrpcCall;

/** A method, and how its calls start. */
interface Startable {
  readonly method: MethodDefinition;
  readonly isReadOnly: boolean;
  readonly start: Start;
}

/** The connection to another core may fail too. */
const MAX_ATTEMPTS = 3;

/**
 * Creates a channel to all addresses of a target, used in turn. It connects at the first call and reconnects by itself.
 */
export function grpcChannel(channelOptions: GrpcChannelOptions): GrpcChannel {
  const { timeoutMs = 5_000, clock, readOnlyMethods } = channelOptions;
  prepareSessions();
  const connection = { channel: createChannel(channelOptions), clocks: createCoreClocks(clock) };
  return {
    client<D extends ServiceDefinition>(definition: D) {
      const calls = Object.entries(definition).map(([name, method]) => {
        const start: Start = (options, elapsedMs) =>
          startGrpcCall(connection, method, (options.timeoutMs ?? timeoutMs) - elapsedMs, options);
        const startable = { method, start, isReadOnly: readOnlyMethods?.has(method.path) === true };
        const call = method.responseStream ? streamed : single;
        return [name, (input: unknown, options: CallOptions = {}) => call(startable, input, options)];
      });
      return Object.fromEntries(calls) as Client<D>;
    },
    close: () => connection.channel.close(),
  };
}

function createChannel({ target, tls, keepaliveMs, keepaliveTimeoutMs }: GrpcChannelOptions): Channel {
  const options: ChannelOptions = {
    ...OPTIONS,
    'grpc.keepalive_time_ms': keepaliveMs ?? 20_000,
    'grpc.keepalive_timeout_ms': keepaliveTimeoutMs ?? 5_000,
  };
  if (tls === undefined) return new Channel(target, credentials.createInsecure(), options);
  const certificates = watchCertificates(tls, tls.log, tls.observe, tls.repeat);
  const identity = tls.cert === undefined ? null : certificates;
  const secure = (verify: VerifyOptions): ChannelCredentials =>
    experimental.createCertificateProviderChannelCredentials(certificates, identity, verify);
  const addresses = addressesOf(target);
  if (addresses.length === 0) return new Channel(target, secure({}), options);
  // grpc-js verifies the target by name, and Node accepts no IP address as a name (RFC 6066 section 3). So a
  // placeholder name is used, and the certificate must match an address of the target.
  const byAddress: VerifyOptions = {
    checkServerIdentity(_name, certificate) {
      const mismatches = addresses.map((address) => checkServerIdentity(address, certificate));
      return mismatches.includes(undefined) ? undefined : mismatches[0];
    },
  };
  return new Channel(target, secure(byAddress), { ...options, 'grpc.ssl_target_name_override': 'localhost' });
}

/**
 * Returns the IP addresses in a target: `ipv4:10.0.0.1:50051,10.0.0.2`, `ipv6:[::1]:50051`, `dns:///10.0.0.1:50051`.
 */
function addressesOf(target: string): string[] {
  return target
    .replace(/^(ipv4:|ipv6:|dns:(\/\/[^/]*\/)?)/, '')
    .split(',')
    .map((address) => address.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([^:]+):\d+$/, '$1'))
    .filter((host) => isIP(host) > 0);
}

async function single(startable: Startable, input: unknown, options: CallOptions): Promise<unknown> {
  const response = await untilDelivered(startable, input, options, async (call) => {
    const received = await call.receive();
    // The status follows the response, and only the status shows whether the call succeeded.
    const more = received === undefined ? undefined : await call.receive();
    if (received !== undefined && more === undefined) return received;
    call.cancel();
    throw bareError('INTERNAL_ERROR', options.requestId, new Error('Expected exactly one response'));
  });
  return decodeMessage(startable.method, response, options);
}

/** Starts the call when the first message is read. Cancels it if the reader stops early. */
async function* streamed(startable: Startable, input: unknown, options: CallOptions): AsyncIterable<unknown> {
  const { call, first } = await untilDelivered(startable, input, options, async (call) => ({
    call,
    first: await call.receive(),
  }));
  try {
    for (let response = first; response !== undefined; response = await call.receive()) {
      yield decodeMessage(startable.method, response, options);
    }
  } finally {
    call.cancel();
  }
}

/**
 * Starts a call and waits for its result. Sends it again on another connection if that is safe. Uploads are sent once,
 * because their source may be readable only once.
 */
async function untilDelivered<Result>(
  startable: Startable,
  input: unknown,
  options: CallOptions,
  receive: (call: GrpcCall) => Promise<Result>,
): Promise<Result> {
  const began = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const elapsedMs = attempt === 1 ? 0 : performance.now() - began;
    const call = begin(startable, input, options, elapsedMs);
    try {
      return await receive(call);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !canSendAgain(startable, call)) throw error;
    }
  }
}

/**
 * A server that closes a connection refuses calls that it has not processed (RFC 9113 section 8.7): these are always
 * safe. A killed server may have processed a call whose response is lost.
 */
function canSendAgain({ method, isReadOnly }: Startable, call: GrpcCall): boolean {
  if (method.requestStream) return false;
  const undelivered = call.undelivered();
  return undelivered === 'refused' || (undelivered === 'lost' && isReadOnly);
}

function begin({ method, start }: Startable, input: unknown, options: CallOptions, elapsedMs: number): GrpcCall {
  if (method.requestStream) return beginUpload(method, start, input as AsyncIterable<unknown>, options);
  const request = orInternalError(options.requestId, () => method.requestSerialize(input));
  const call = start(options, elapsedMs);
  void call.send(request);
  call.halfClose();
  return call;
}

function beginUpload(
  method: MethodDefinition,
  start: Start,
  source: AsyncIterable<unknown>,
  options: CallOptions,
): GrpcCall {
  try {
    const call = start(options, 0);
    void feed(call, method, source);
    return call;
  } catch (error) {
    stopIterator(source[Symbol.asyncIterator]());
    throw error;
  }
}

/** Sends a stream of requests until the call ends, no faster than the server reads. */
async function feed(call: GrpcCall, method: MethodDefinition, source: AsyncIterable<unknown>): Promise<void> {
  const input = boundInput(source, call.over, { receive: (message) => method.requestSerialize(message) });
  try {
    for await (const message of input) await call.send(message);
    call.halfClose();
  } catch (cause) {
    if (!call.over.aborted) call.cancel(cause);
  } finally {
    input.close();
  }
}

function decodeMessage(method: MethodDefinition, bytes: Buffer, { requestId }: CallOptions): unknown {
  return orInternalError(requestId, () => method.responseDeserialize(bytes));
}
