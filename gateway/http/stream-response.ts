// Responses from a stream of the core.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallOptions, CancelSignal } from '../../src/platform/rpc/types.ts';
import type { TypedApp } from '../context.ts';
import { streamOptions } from './call-options.ts';

/** A response of several messages: how to call the core, and the content of a message. */
export interface StreamSource<Message> {
  readonly headers: Readonly<Record<string, string>>;
  open(options: CallOptions): AsyncIterable<Message>;
  contentOf(message: Message): string | Uint8Array;
  /** Returns the last content after an error. Without it, the connection breaks off, so that no client takes the content for whole. */
  lastOf?(error: unknown): string;
}

/** Returns a function that responds with a stream until the client disconnects or the server closes. */
export function createStreamResponses(app: TypedApp) {
  const closing = new AbortController();
  app.addHook('preClose', (done) => {
    closing.abort();
    done();
  });
  return async <Message>(
    request: FastifyRequest,
    reply: FastifyReply,
    source: StreamSource<Message>,
  ): Promise<void> => {
    const options = streamOptions(request);
    const signal = either(options.signal!, closing.signal);
    const messages = source.open({ ...options, signal })[Symbol.asyncIterator]();
    // An error before the first message is a normal response.
    const first = await messages.next();
    reply.headers(source.headers);
    if (request.method === 'HEAD') {
      await messages.return?.();
      return void (await reply.send(Readable.from([])));
    }
    await reply.send(Readable.from(contentsOf(messages, first, source), { objectMode: false }));
  };
}

async function* contentsOf<Message>(
  messages: AsyncIterator<Message>,
  first: IteratorResult<Message>,
  { contentOf, lastOf }: StreamSource<Message>,
): AsyncGenerator<string | Uint8Array> {
  try {
    for (let next = first; next.done !== true; next = await messages.next()) yield contentOf(next.value);
  } catch (error) {
    if (!lastOf) throw error;
    yield lastOf(error);
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
