// Calls within the process. They use the same pipeline as gRPC, without serialization or socket.
import { type RpcError, bareError, orInternalError } from '../errors/rpc-error.ts';
import type { Peer } from '../pipeline/client-address.ts';
import { exchange } from '../pipeline/exchange.ts';
import type { Host, Incoming } from '../pipeline/host.ts';
import { createHandoff } from '../pipeline/streams.ts';
import type { Method } from '../service.ts';
import type { CallOptions, Client, MethodDefinition, ServiceDefinition } from '../types.ts';

/** Converts messages between caller and handler. */
interface Wire {
  request(message: unknown): unknown;
  response(message: unknown): unknown;
}

/** Passes the message itself, without a copy. */
const direct: Wire = { request: (message) => message, response: (message) => message };

/**
 * Passes the message as it would arrive over a network, frozen so that no code relies on sharing it. Throws if it
 * cannot be encoded.
 */
function verifyingWire(definition: MethodDefinition): Wire {
  return {
    request: (message) => deepFreeze(definition.requestDeserialize(definition.requestSerialize(message))),
    response: (message) => deepFreeze(definition.responseDeserialize(definition.responseSerialize(message))),
  };
}

function deepFreeze(value: unknown): unknown {
  // Typed arrays cannot be frozen.
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}

export interface LocalOptions {
  /** Timeout of a call if its own options set none, in milliseconds. Default: the host's limit. */
  readonly timeoutMs?: number;
  /** Encodes, decodes and freezes every message, so that code that would fail over gRPC fails here too. For tests. */
  readonly verifyWire?: boolean;
}

interface Route {
  readonly host: Host;
  readonly method: Method;
  readonly wire: Wire;
  readonly timeoutMs: number | undefined;
}

const PEER: Peer = { address: 'unix', trusted: true };
const NONE: readonly string[] = [];

/** Creates a client of a service in this process. Throws if the host does not serve it. */
export function localClient<D extends ServiceDefinition>(
  host: Host,
  definition: D,
  options: LocalOptions = {},
): Client<D> {
  const served = new Map(host.methods.map((method) => [method.definition.path, method]));
  const calls = Object.entries(definition).map(([name, { path, responseStream }]) => {
    const method = served.get(path);
    if (method === undefined) throw new Error(`${path} is not served`);
    const wire = options.verifyWire === true ? verifyingWire(method.definition) : direct;
    const route: Route = { host, method, wire, timeoutMs: options.timeoutMs };
    const call = responseStream ? streamed : single;
    return [name, (input: unknown, callOptions: CallOptions = {}) => call(route, input, callOptions)];
  });
  return Object.fromEntries(calls) as Client<D>;
}

function single(route: Route, input: unknown, options: CallOptions): Promise<unknown> {
  try {
    return begin(route, input, options, neverWritten).outcome;
  } catch (error) {
    return Promise.reject(error);
  }
}

async function neverWritten(): Promise<void> {}

/** Starts the call when the first message is read. Cancels it if the reader stops early. */
async function* streamed(route: Route, input: unknown, options: CallOptions): AsyncIterable<unknown> {
  const responses = createHandoff<unknown>();
  const call = begin(route, input, options, responses.put);
  call.outcome.then(responses.end, responses.fail);
  try {
    for (;;) {
      const { done, value } = await responses.take();
      if (done === true) return;
      yield value;
    }
  } finally {
    call.cancel();
  }
}

function begin(route: Route, input: unknown, options: CallOptions, write: (leaving: unknown) => Promise<void>) {
  const { host, method, wire } = route;
  let cancel = () => {};
  let explain = (error: RpcError) => error;
  const failInput = (cause: unknown) => {
    explain = ({ status }) => bareError('CANCELLED', status.requestId, cause);
    cancel();
  };
  const onCancel = (end: () => void) => {
    cancel = end;
    return listen(options.signal, end);
  };
  const isStream = method.definition.requestStream;
  const ends = {
    input: isStream ? input : orInternalError(options.requestId, () => wire.request(input)),
    receive: isStream ? convertOr(failInput, wire.request) : (message: unknown) => message,
    onSourceError: failInput,
    respond: wire.response,
    write,
  };
  const outcome = exchange(host, method, incoming(route, options, onCancel), ends);
  if (!isStream) return { outcome, cancel: () => cancel() };
  const explained = outcome.catch((error: RpcError) => {
    throw explain(error);
  });
  return { outcome: explained, cancel: () => cancel() };
}

/** Returns a conversion that also reports its errors. */
function convertOr<T, U>(onError: (error: unknown) => void, convert: (message: T) => U): (message: T) => U {
  return (message) => {
    try {
      return convert(message);
    } catch (error) {
      onError(error);
      throw error;
    }
  };
}

function incoming(route: Route, options: CallOptions, onCancel: Incoming['onCancel']): Incoming {
  const timeoutMs = options.timeoutMs ?? route.timeoutMs;
  return {
    deadlineAt: timeoutMs === undefined ? undefined : Date.now() + timeoutMs,
    onCancel,
    requestId: options.requestId,
    trace: options.trace,
    peer: PEER,
    clientAddress: options.clientAddress,
    sharedAddress: options.sharedAddress === true,
    authorization: options.authorization ?? NONE,
    apiKey: options.apiKey ?? NONE,
    accessCheckOnly: options.accessCheckOnly === true,
  };
}

function listen(signal: CallOptions['signal'], cancel: () => void): (() => void) | undefined {
  if (signal === undefined) return undefined;
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  return () => signal.removeEventListener('abort', cancel);
}
