import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { Channel, credentials, experimental } from '@grpc/grpc-js';
import type { ChannelCredentials, ChannelOptions, VerifyOptions } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { createCoreClocks } from './absolute-deadline.ts';
import type { MonotonicClock } from './absolute-deadline.ts';
import { watchCertificates } from './certificates.ts';
import type { CertificateFiles } from './certificates.ts';
import { bareError } from '../errors/client-errors.ts';
import { prepareSessions } from './patches/http2-sessions.ts';
import { startGrpcCall } from './call.ts';
import type { GrpcCall } from './call.ts';
import { boundInput } from '../pipeline/input.ts';
import { stopIterator } from '../pipeline/streams.ts';
import type { CallOptions, Client, MethodDefinition, ServiceDefinition } from '../types.ts';

export interface GrpcChannelOptions {
  /** `dns:///core:50051`, `ipv4:10.0.0.1:50051,10.0.0.2:50051`, `unix:/path`. */
  readonly target: string;
  /** Present, even without files, it means TLS. */
  readonly tls?: ClientTls | undefined;
  /** How long a call may take where its own options do not say, in milliseconds. Default: 5000. */
  readonly timeoutMs?: number;
  /** Default: the process's own. */
  readonly clock?: MonotonicClock;
  /** How often a connection with calls must show that the core still listens, in milliseconds. Default: 20000. */
  readonly keepaliveMs?: number;
  /** How long the core has to do so, in milliseconds. Default: 5000. */
  readonly keepaliveTimeoutMs?: number;
}

/** What a client checks and shows; the files are followed as they change. */
export interface ClientTls extends CertificateFiles {
  /** Told of every change. Default: nobody is. */
  readonly log?: Logger;
  /** How often the files are looked at, in milliseconds. */
  readonly reloadMs?: number;
}

export interface GrpcChannel {
  client<D extends ServiceDefinition>(definition: D): Client<D>;
  close(): void;
}

const OPTIONS: ChannelOptions = {
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  'grpc.service_config_disable_resolution': 1,
  // Channels to one target would share a connection.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_channelz': 0,
  'grpc.enable_retries': 0,
  // What is buffered for retries counts as written, which would hide how fast the server reads.
  'grpc.per_rpc_retry_buffer_size': 0,
  'grpc.enable_http_proxy': 0,
  // A page of the longest orders takes 18 MB.
  'grpc.max_receive_message_length': 32 * 1024 * 1024,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
};

type Start = (options: CallOptions, elapsedMs?: number) => GrpcCall;

/** A channel to every address of a target, in turn. It connects with the first call, and again by itself. */
export function grpcChannel(channelOptions: GrpcChannelOptions): GrpcChannel {
  const { timeoutMs = 5_000, clock } = channelOptions;
  prepareSessions();
  const connection = { channel: openChannel(channelOptions), clocks: createCoreClocks(clock) };
  return {
    client<D extends ServiceDefinition>(definition: D) {
      const calls = Object.entries(definition).map(([name, method]) => {
        const start: Start = (options, elapsedMs = 0) =>
          startGrpcCall(connection, method, (options.timeoutMs ?? timeoutMs) - elapsedMs, options);
        const call = method.responseStream ? streamed : single;
        return [name, (input: unknown, options: CallOptions = {}) => call(method, start, input, options)];
      });
      return Object.fromEntries(calls) as Client<D>;
    },
    close: () => connection.channel.close(),
  };
}

function openChannel({ target, tls, keepaliveMs, keepaliveTimeoutMs }: GrpcChannelOptions): Channel {
  const options: ChannelOptions = {
    ...OPTIONS,
    'grpc.keepalive_time_ms': keepaliveMs ?? 20_000,
    'grpc.keepalive_timeout_ms': keepaliveTimeoutMs ?? 5_000,
  };
  if (tls === undefined) return new Channel(target, credentials.createInsecure(), options);
  const certificates = watchCertificates(tls, tls.log, tls.reloadMs);
  const identity = tls.cert === undefined ? null : certificates;
  const secure = (verify: VerifyOptions): ChannelCredentials =>
    experimental.createCertificateProviderChannelCredentials(certificates, identity, verify);
  const addresses = addressesOf(target);
  if (addresses.length === 0) return new Channel(target, secure({}), options);
  // grpc-js asks for the target by name, and Node takes no IP address for a name (RFC 6066 section 3). So another name is
  // asked for, and the certificate must be one of an address of the target.
  const byAddress: VerifyOptions = {
    checkServerIdentity(_name, certificate) {
      const mismatches = addresses.map((address) => checkServerIdentity(address, certificate));
      return mismatches.includes(undefined) ? undefined : mismatches[0];
    },
  };
  return new Channel(target, secure(byAddress), { ...options, 'grpc.ssl_target_name_override': 'localhost' });
}

/** The IP addresses that a target names itself: `ipv4:10.0.0.1:50051,10.0.0.2`, `ipv6:[::1]:50051`, `dns:///10.0.0.1:50051`. */
function addressesOf(target: string): string[] {
  return target
    .replace(/^(ipv4:|ipv6:|dns:(\/\/[^/]*\/)?)/, '')
    .split(',')
    .map((address) => address.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([^:]+):\d+$/, '$1'))
    .filter((host) => isIP(host) > 0);
}

async function single(method: MethodDefinition, start: Start, input: unknown, options: CallOptions): Promise<unknown> {
  const { call, response } = await firstResponse(method, start, input, options);
  // The status comes after the response, and only the status says that the call succeeded.
  const more = response === undefined ? undefined : await call.receive();
  if (response === undefined || more !== undefined) {
    call.cancel();
    throw bareError('INTERNAL_ERROR', options.requestId, new Error('Not exactly one response'));
  }
  return decoded(method, response, options);
}

/** The call begins when the first message is asked for, and is cancelled when the reader stops early. */
async function* streamed(
  method: MethodDefinition,
  start: Start,
  input: unknown,
  options: CallOptions,
): AsyncIterable<unknown> {
  const { call, response: first } = await firstResponse(method, start, input, options);
  try {
    for (let response = first; response !== undefined; response = await call.receive()) {
      yield decoded(method, response, options);
    }
  } finally {
    call.cancel();
  }
}

/**
 * Begins a call. A server that retires a connection refuses calls which it has not looked at (RFC 9113 section 8.7): such a
 * one is made again, once, on another connection. An upload is not, for its source may be read only once.
 */
async function firstResponse(method: MethodDefinition, start: Start, input: unknown, options: CallOptions) {
  const began = performance.now();
  const call = begin(method, start, input, options);
  try {
    return { call, response: await call.receive() };
  } catch (error) {
    if (!call.wasRefused() || method.requestStream) throw error;
  }
  const again = begin(method, (whole) => start(whole, performance.now() - began), input, options);
  return { call: again, response: await again.receive() };
}

function begin(method: MethodDefinition, start: Start, input: unknown, options: CallOptions): GrpcCall {
  if (method.requestStream) return beginUpload(method, start, input as AsyncIterable<unknown>, options);
  const request = encoded(method, input, options);
  const call = start(options);
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
    const call = start(options);
    void feed(call, method, source);
    return call;
  } catch (error) {
    stopIterator(source[Symbol.asyncIterator]());
    throw error;
  }
}

/** Sends a stream of requests, no faster than the server reads, until the call is over. */
async function feed(call: GrpcCall, method: MethodDefinition, source: AsyncIterable<unknown>): Promise<void> {
  const input = boundInput(source, call.over);
  try {
    for await (const message of input) await call.send(method.requestSerialize(message));
    call.halfClose();
  } catch (cause) {
    if (!call.over.aborted) call.cancel(cause);
  } finally {
    input.close();
  }
}

function encoded(method: MethodDefinition, message: unknown, { requestId }: CallOptions): Buffer {
  try {
    return method.requestSerialize(message);
  } catch (cause) {
    throw bareError('INTERNAL_ERROR', requestId, cause);
  }
}

function decoded(method: MethodDefinition, bytes: Buffer, { requestId }: CallOptions): unknown {
  try {
    return method.responseDeserialize(bytes);
  } catch (cause) {
    throw bareError('INTERNAL_ERROR', requestId, cause);
  }
}
