// Failures as HTTP responses: problem documents, OAuth errors, Profile B's errors.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import { bodyText, respondTo, type ErrorFormatOf, type ErrorResponse } from './error-formats.ts';
import { type Disclosure, toFailure } from './failure.ts';
import { requestPath } from '../../src/platform/problem/request-path.ts';
import { GatewayError } from './gateway-error.ts';

/** Header of every response. Browsers then use the declared content type and do not guess (Fetch standard section 3.6). */
export const NO_SNIFFING = { 'x-content-type-options': 'nosniff' } as const;

/** Sends the response for an error. */
export type HandleError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Creates the only error handler. It logs unexpected errors completely. Responses show their class and frames under maximal
 * disclosure only.
 */
export function errorHandler(formatOf: ErrorFormatOf, disclosure: Disclosure, log: Logger): HandleError {
  return (error, request, reply) => {
    const failure = toFailure(error, disclosure, request.routeOptions.config?.checksCredential === true);
    if (failure.name === 'INTERNAL_ERROR' && !(error instanceof RpcError))
      log.error(
        { requestId: request.id, ...(request.span && { trace_id: request.span.traceId }), err: error },
        'Unexpected error while serving a request',
      );
    const path = requestPath(request.originalUrl);
    // The pattern of the route, or the received path if no route matches.
    const format = formatOf(request.routeOptions.url ?? path);
    sendErrorResponse(request, reply, respondTo(failure, disclosure.mode, format, path, request.headers));
  };
}

function sendErrorResponse(request: FastifyRequest, reply: FastifyReply, response: ErrorResponse): void {
  // Fastify sends `connection: close` if it has not read the whole body. A client that still sends would then get a reset
  // instead of the response. Without the header, Node discards the rest until the request timeout.
  if (reply.hasHeader('connection')) reply.removeHeader('connection');
  // A Buffer, because Fastify adds a charset parameter to strings, which JSON does not have.
  reply
    .code(response.status)
    .header('x-request-id', request.id)
    .headers(NO_SNIFFING)
    .headers(response.headers)
    .send(Buffer.from(bodyText(response)));
}

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
