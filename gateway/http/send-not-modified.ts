import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * Answers 304. It is a stream because Fastify would give a HEAD that sends nothing the length 0, where only that of the whole
 * answer may stand (RFC 9110 section 8.6).
 */
export function sendNotModified(reply: FastifyReply): FastifyReply {
  return reply.code(304).send(Readable.from([]));
}
