import { NO_RULES } from '../contract/contracts.ts';
import type { Method } from '../service.ts';
import type { Call, Validate } from '../types.ts';
import type { Host, Incoming } from './host.ts';
import { boundInput, withinIdle, type BoundedInput } from './input.ts';
import { pump, stopIterator } from './streams.ts';

/** The transport's side of a call: its input and how to write its output. */
export interface Ends {
  /** The encoded request, or the stream of requests. */
  readonly input: unknown;
  /** Converts an encoded message to the handler's message. Throws if it cannot be decoded. */
  receive(arrived: unknown): unknown;
  /** Called with an error of the stream of requests, before the handler gets it. */
  readonly onSourceError?: ((error: unknown) => void) | undefined;
  /** Converts the handler's message to the encoded one. */
  respond(message: unknown): unknown;
  /** Sends one message of a response stream. Settles when the caller is ready for more. */
  write(leaving: unknown): Promise<void>;
}

/**
 * Runs a call of any kind through the host. Resolves to the encoded response, or to undefined if the response was
 * streamed. However the call ends, its request stream is stopped. A caller that keeps a stream waiting too long ends
 * the call. Rejects with RpcError only.
 */
export function exchange(host: Host, method: Method, incoming: Incoming, ends: Ends): Promise<unknown> {
  const { path, requestStream, responseStream } = method.definition;
  const validate = host.contracts.get(path)?.validate ?? NO_RULES;
  // Each message of a stream is checked when it arrives. Reflection has no rules, because it only looks up names.
  const handle = (request: unknown, call: Call<never>): Promise<unknown> => {
    const response = method.handler(request, call, requestStream ? NO_RULES : validate);
    if (!responseStream) return (response as Promise<unknown>).then(ends.respond);
    return pump(response, call.deadline.signal, (message) =>
      withinIdle(host.idleMs, ends.write(ends.respond(message))),
    );
  };
  if (!requestStream) return host.serve(method, incoming, (call) => handle(ends.receive(ends.input), call));
  return exchangeStream(host, method, incoming, ends, validate, handle);
}

async function exchangeStream(
  host: Host,
  method: Method,
  incoming: Incoming,
  ends: Ends,
  validate: Validate,
  handle: (request: unknown, call: Call<never>) => Promise<unknown>,
): Promise<unknown> {
  const source = ends.input as AsyncIterable<unknown>;
  const options = {
    idleMs: host.idleMs,
    receive: (arrived: unknown) => validate(ends.receive(arrived)),
    onSourceError: ends.onSourceError,
  };
  let input: BoundedInput<unknown> | undefined;
  try {
    return await host.serve(method, incoming, (call) => {
      input = boundInput(source, call.deadline.signal, options);
      return handle(input, call);
    });
  } finally {
    if (input === undefined) stopIterator(source[Symbol.asyncIterator]());
    else input.close();
  }
}
