import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/**
 * Sends 304 with an empty stream. Without a stream, Fastify would set Content-Length to 0 for HEAD. Only the length of the 200
 * response is allowed there (RFC 9110 section 8.6).
 */
export function sendNotModified(reply: FastifyReply): FastifyReply {
  return reply.code(304).send(Readable.from([]));
}
