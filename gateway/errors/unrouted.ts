import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestPath } from '../http/request-path.ts';
import { failure } from './problem.ts';
import type { DisclosureMode } from './problem.ts';
import { sendProblem } from './send-problem.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Answers what no route matches: 404 for an unknown path; for a known one 405 with `Allow` (RFC 9110 section
 * 15.5.6), and 204 with `Allow` to OPTIONS.
 */
export function unroutedHandler(app: Pick<FastifyInstance, 'findRoute'>, mode: DisclosureMode) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const path = requestPath(request.raw.url ?? '/');
    const allowed = METHODS.filter((method) => app.findRoute({ method, url: path }) !== null);
    if (allowed.length === 0) return sendProblem(request, reply, failure('NOT_FOUND'), mode);

    reply.header('allow', [...allowed, 'OPTIONS'].join(', '));
    if (request.method === 'OPTIONS') void reply.code(204).send();
    else sendProblem(request, reply, failure('METHOD_NOT_ALLOWED'), mode);
  };
}
