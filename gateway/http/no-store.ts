import type { FastifyReply, FastifyRequest } from 'fastify';

/** A hook for routes whose responses contain credentials: neither the responses nor their errors may be cached. */
export function noStore(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
  done();
}
