import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestPath } from '../http/request-path.ts';
import type { SendFailure } from './dialects.ts';
import { failure } from './problem.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Answers what no route matches: 404 for an unknown path; for a known one 405 with `Allow` (RFC 9110 section
 * 15.5.6), and 204 with `Allow` to OPTIONS.
 */
export function unroutedHandler(app: Pick<FastifyInstance, 'findRoute'>, send: SendFailure) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const path = requestPath(request.raw.url ?? '/');
    const allowed = METHODS.filter((method) => app.findRoute({ method, url: path }) !== null);
    if (allowed.length === 0) return send(request, reply, failure('NOT_FOUND'));

    reply.header('allow', [...allowed, 'OPTIONS'].join(', '));
    if (request.method === 'OPTIONS') void reply.code(204).send();
    else send(request, reply, failure('METHOD_NOT_ALLOWED'));
  };
}
