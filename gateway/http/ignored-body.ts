import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * A hook for routes that never read a body: Fastify takes the request for one without. Node discards a body that comes all the
 * same, so that the connection can be used again.
 */
export function ignoreBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { headers } = request.raw;
  delete headers['content-type'];
  delete headers['content-length'];
  delete headers['transfer-encoding'];
  done();
}
