import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * A hook for routes that never read a body. It removes the body's headers, so that Fastify does not read one. Node discards a body
 * that is sent anyway, so the connection can be reused.
 */
export function ignoreBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { headers } = request.raw;
  delete headers['content-type'];
  delete headers['content-length'];
  delete headers['transfer-encoding'];
  done();
}
