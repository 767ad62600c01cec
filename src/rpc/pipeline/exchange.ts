import { NO_RULES } from '../contract/contracts.ts';
import type { Host, Incoming } from './host.ts';
import { withinIdle, withoutIdling } from './idle.ts';
import { boundInput } from './input.ts';
import type { BoundedInput } from './input.ts';
import type { Method } from '../service.ts';
import { mapStream, pump, stopIterator } from './streams.ts';
import type { Call } from '../types.ts';

/** The two ends of a call, as its transport carries them. */
export interface Ends {
  /** The request as it arrived, or the stream of them. */
  readonly input: unknown;
  /** Turns what arrived into the handler's message; throws where it is none. */
  receive(arrived: unknown): unknown;
  /** Turns the handler's message into what leaves. */
  respond(message: unknown): unknown;
  /** Sends one message of a response stream; settles when the caller wants more. */
  write(leaving: unknown): Promise<void>;
}

/**
 * Runs a call of any kind through the host. Comes to what leaves as the response, or to nothing where all of it was
 * written. However the call ends, a request stream is told to stop; a caller that keeps a stream waiting too long ends the
 * call. Rejects with RpcError only.
 */
export async function exchange(host: Host, method: Method, incoming: Incoming, ends: Ends): Promise<unknown> {
  const { path, requestStream, responseStream } = method.definition;
  const validate = host.contracts.get(path)?.validate ?? NO_RULES;
  // The messages of a stream are checked as they come. Reflection, which only looks names up, has no rules.
  const handle = async (request: unknown, call: Call) => {
    const response = method.handler(request, call, requestStream ? NO_RULES : validate);
    if (!responseStream) return ends.respond(await response);
    return pump(response, call.deadline.signal, (message) =>
      withinIdle(host.idleMs, ends.write(ends.respond(message))),
    );
  };
  if (!requestStream) return host.serve(method, incoming, (call) => handle(ends.receive(ends.input), call));

  const receive = (arrived: unknown) => validate(ends.receive(arrived));
  const source = withoutIdling(mapStream(ends.input as AsyncIterable<unknown>, receive), host.idleMs);
  let input: BoundedInput<unknown> | undefined;
  try {
    return await host.serve(method, incoming, (call) => {
      input = boundInput(source, call.deadline.signal);
      return handle(input, call);
    });
  } finally {
    if (input === undefined) stopIterator(source[Symbol.asyncIterator]());
    else input.close();
  }
}
