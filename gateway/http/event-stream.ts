// Responses with server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), from a stream of the core.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import type { TypedApp } from '../context.ts';
import { createStreamResponses } from './stream-response.ts';

/** A response of events: how to call the core, and the text of a message. */
interface EventSource<Message> {
  open(options: CallOptions): AsyncIterable<Message>;
  textOf(message: Message): string;
}

// Proxies must not collect the events.
const HEADERS = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };

/** Returns a function that responds with events until the client disconnects or the server closes. */
export function createEventResponses(app: TypedApp) {
  const respond = createStreamResponses(app);
  return <Message>(request: FastifyRequest, reply: FastifyReply, source: EventSource<Message>): Promise<void> =>
    respond(request, reply, {
      headers: HEADERS,
      open: (options) => source.open(options),
      contentOf: (message) => source.textOf(message),
      lastOf(error) {
        if (!(error instanceof RpcError)) throw error;
        return `: the stream has ended: ${error.status.reason}\n\n`;
      },
    });
}
