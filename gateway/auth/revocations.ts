// The revocation feed as an event stream (https://html.spec.whatwg.org/multipage/server-sent-events.html).
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from '../type.ts';
import {
  RevocationSubject,
  type Revocation,
  type StreamRevocationsResponse,
} from '../../proto/gen/authservice/session/v1/session_service.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { CancelSignal } from '../../src/platform/rpc/types.ts';
import type { Endpoint } from '../endpoint.ts';
import { noStore } from '../http/caching.ts';
import { streamOptions } from '../http/call-options.ts';

const EVENTS = {
  description:
    'Events `session`, `token`, `account` and `tenant` with the data `{id, until}`: the revocations in force first, then the event ' +
    '`snapshot-end`, then changes. A comment comes every 15 s.',
  content: {
    'text/event-stream': {
      schema: Type.String({
        examples: [
          'event: session\ndata: {"id":"01934f6e-5a5e-7b1c-8d2e-3f4a5b6c7d8e","until":"2030-01-02T03:04:05.000Z"}\n\n',
        ],
      }),
    },
  },
};

/** Endpoint: streams the revocations of all tenants. */
export const revocations: Endpoint = (app, { session }, route) => {
  const closing = new AbortController();
  app.addHook('preClose', (done) => {
    closing.abort();
    done();
  });
  app.route({
    ...route,
    schema: {
      summary: 'Stream revocations',
      description:
        'For services that check access tokens by the key set alone. Needs a resource server or a SUPER_ADMIN. Ends after ten ' +
        'minutes at most, and within seconds of the credential. Then connect again. `until` is when the last such token ' +
        'expires, or null if an account was enabled or a tenant activated.',
      tags: ['Session'],
      response: { 200: EVENTS },
    },
    onRequest: noStore,
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const options = streamOptions(request);
      const signal = either(options.signal!, closing.signal);
      const messages = session.streamRevocations({}, { ...options, signal })[Symbol.asyncIterator]();
      const first = await messages.next();
      // Proxies must not collect the events.
      reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no');
      if (request.method === 'HEAD') {
        await messages.return?.();
        return reply.send(Readable.from([]));
      }
      return reply.send(Readable.from(textOf(messages, first), { objectMode: false }));
    },
  });
};

async function* textOf(
  messages: AsyncIterator<StreamRevocationsResponse>,
  first: IteratorResult<StreamRevocationsResponse>,
): AsyncGenerator<string> {
  try {
    for (let next = first; next.done !== true; next = await messages.next()) yield eventsOf(next.value);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    yield `: the stream has ended: ${error.status.reason}\n\n`;
  } finally {
    await messages.return?.();
  }
}

const NAMES: Readonly<Partial<Record<RevocationSubject, string>>> = {
  [RevocationSubject.REVOCATION_SUBJECT_SESSION]: 'session',
  [RevocationSubject.REVOCATION_SUBJECT_TOKEN]: 'token',
  [RevocationSubject.REVOCATION_SUBJECT_ACCOUNT]: 'account',
  [RevocationSubject.REVOCATION_SUBJECT_TENANT]: 'tenant',
};

function eventsOf({ revocations, snapshotEnd }: StreamRevocationsResponse): string {
  if (snapshotEnd) return `${revocations.map(eventOf).join('')}event: snapshot-end\ndata: {}\n\n`;
  return revocations.length === 0 ? ': heartbeat\n\n' : revocations.map(eventOf).join('');
}

function eventOf({ subject, id, until }: Revocation): string {
  const data = { id, until: until?.toISOString() ?? null };
  return `event: ${NAMES[subject]}\ndata: ${JSON.stringify(data)}\n\n`;
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
