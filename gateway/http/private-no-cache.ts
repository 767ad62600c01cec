import type { FastifyReply, FastifyRequest } from 'fastify';

/** A hook: only the client itself keeps the answer, and asks whether it still holds before using it (RFC 9111 section 5.2.2). */
export function privateNoCache(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('cache-control', 'private, no-cache');
  done();
}
