import type { FastifyReply, FastifyRequest } from 'fastify';

/** A hook for routes whose answers carry credentials: nobody keeps a copy of them, nor of their refusals. */
export function noStore(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
  done();
}
