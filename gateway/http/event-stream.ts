// Responses with server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), from a stream of the core.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { CallOptions, CancelSignal } from '../../src/platform/rpc/types.ts';
import type { TypedApp } from '../context.ts';
import { streamOptions } from './call-options.ts';

/** A response of events: how to call the core, and the text of a message. */
interface EventSource<Message> {
  open(options: CallOptions): AsyncIterable<Message>;
  textOf(message: Message): string;
}

/** Returns a function that responds with events until the client disconnects or the server closes. */
export function createEventResponses(app: TypedApp) {
  const closing = new AbortController();
  app.addHook('preClose', (done) => {
    closing.abort();
    done();
  });
  return async <Message>(
    request: FastifyRequest,
    reply: FastifyReply,
    { open, textOf }: EventSource<Message>,
  ): Promise<void> => {
    const options = streamOptions(request);
    const signal = either(options.signal!, closing.signal);
    const messages = open({ ...options, signal })[Symbol.asyncIterator]();
    // An error before the first message is a normal response.
    const first = await messages.next();
    // Proxies must not collect the events.
    reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no');
    if (request.method === 'HEAD') {
      await messages.return?.();
      return void (await reply.send(Readable.from([])));
    }
    await reply.send(Readable.from(textsOf(messages, first, textOf), { objectMode: false }));
  };
}

async function* textsOf<Message>(
  messages: AsyncIterator<Message>,
  first: IteratorResult<Message>,
  textOf: (message: Message) => string,
): AsyncGenerator<string> {
  try {
    for (let next = first; next.done !== true; next = await messages.next()) yield textOf(next.value);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    yield `: the stream has ended: ${error.status.reason}\n\n`;
  } finally {
    await messages.return?.();
  }
}

/** Returns a signal that aborts when one of two does. */
function either(one: CancelSignal, other: AbortSignal): CancelSignal {
  return {
    get aborted() {
      return one.aborted || other.aborted;
    },
    addEventListener(type, cancel, options) {
      one.addEventListener(type, cancel, options);
      other.addEventListener(type, cancel, options);
    },
    removeEventListener(type, cancel) {
      one.removeEventListener(type, cancel);
      other.removeEventListener(type, cancel);
    },
  };
}
