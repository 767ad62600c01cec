import type { FastifyReply, FastifyRequest } from 'fastify';

/** A hook: only the client may store the response, and must revalidate it before each use (RFC 9111 section 5.2.2). */
export function privateNoCache(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('cache-control', 'private, no-cache');
  done();
}
