import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestPath } from '../../src/platform/problem/request-path.ts';
import type { HandleError } from './error-handler.ts';
import { GatewayError } from './gateway-error.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Creates the handler of requests that match no route. An unknown path is 404. A known path is 405 with `Allow` (RFC 9110
 * section 15.5.6). OPTIONS on a known path is 204 with `Allow`.
 */
export function unroutedHandler(app: Pick<FastifyInstance, 'findRoute'>, handleError: HandleError) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const path = requestPath(request.raw.url ?? '/');
    const allowed = methodsOf(app, path);
    if (allowed.length === 0) return handleError(new GatewayError('NOT_FOUND'), request, reply);

    reply.header('allow', [...allowed, 'OPTIONS'].join(', '));
    if (request.method === 'OPTIONS') void reply.code(204).send();
    else handleError(new GatewayError('METHOD_NOT_ALLOWED'), request, reply);
  };
}

/** Returns the methods of the most specific pattern that matches: `/customers/check-duplicate` before `/customers/:id`. */
function methodsOf(app: Pick<FastifyInstance, 'findRoute'>, path: string): string[] {
  const found = METHODS.flatMap((method) => {
    const route = app.findRoute({ method, url: path });
    return route === null ? [] : [{ method, parameters: Object.keys(route.params ?? {}).length }];
  });
  const fewest = Math.min(...found.map(({ parameters }) => parameters));
  return found.filter(({ parameters }) => parameters === fewest).map(({ method }) => method);
}
