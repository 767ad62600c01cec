// The revocation feed as an event stream.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from '../type.ts';
import {
  RevocationSubject,
  type Revocation,
  type StreamRevocationsResponse,
} from '../../proto/gen/authservice/session/v1/session_service.ts';
import type { Endpoint } from '../endpoint.ts';
import { noStore } from '../http/caching.ts';
import { createEventResponses } from '../http/event-stream.ts';

const EVENTS = {
  description:
    'Events `session`, `token`, `grant`, `account` and `tenant` with the data `{id, until}`: the revocations in force first, then the event ' +
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
  const respond = createEventResponses(app);
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
    handler: (request: FastifyRequest, reply: FastifyReply) =>
      respond(request, reply, { open: (options) => session.streamRevocations({}, options), textOf: eventsOf }),
  });
};

const NAMES: Readonly<Partial<Record<RevocationSubject, string>>> = {
  [RevocationSubject.REVOCATION_SUBJECT_SESSION]: 'session',
  [RevocationSubject.REVOCATION_SUBJECT_TOKEN]: 'token',
  [RevocationSubject.REVOCATION_SUBJECT_GRANT]: 'grant',
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
