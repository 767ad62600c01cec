import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A hook for routes whose responses contain credentials: neither the responses nor their errors may be cached. */
export function noStore(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
  done();
}

/** As `noStore`, for responses without credentials: without the header of HTTP/1.0. */
export function neverStored(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('cache-control', 'no-store');
  done();
}

/** A hook: only the client may store the response, and must revalidate it before each use (RFC 9111 section 5.2.2). */
export function privateNoCache(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('cache-control', 'private, no-cache');
  done();
}

/**
 * Sends 304 with an empty stream. Without a stream, Fastify would set Content-Length to 0 for HEAD. Only the length of the 200
 * response is allowed there (RFC 9110 section 8.6).
 */
export function sendNotModified(reply: FastifyReply): FastifyReply {
  return reply.code(304).send(Readable.from([]));
}
