// What happens to every request, whatever its route.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HandleError } from '../errors/error-handler.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { unroutedHandler } from '../errors/unrouted.ts';
import type { HttpMetrics } from '../metrics.ts';
import { transferCodingError } from './framing.ts';
import { namesOneHost } from './host-header.ts';

/** The label of requests that match no route. */
const UNROUTED = 'none';

/** Names every answer, answers what has no route before reading its body, and counts and logs what was answered. */
export function followRequests(app: FastifyInstance, handleError: HandleError, metrics: HttpMetrics): void {
  const unrouted = unroutedHandler(app, handleError);
  app.setNotFoundHandler(unrouted);

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const codingError = transferCodingError(request.raw);
    if (!namesOneHost(request.raw))
      handleError(new GatewayError('MALFORMED_REQUEST', 'Not exactly one valid Host header came'), request, reply);
    else if (codingError !== undefined) handleError(codingError, request, reply);
    else if (request.is404) unrouted(request, reply);
    else done();
  });

  app.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done) => {
    const { method } = request;
    const { statusCode, elapsedTime } = reply;
    const route = request.routeOptions.url ?? UNROUTED;
    metrics.observeHttp(method, route, statusCode, elapsedTime);
    if (statusCode >= 500)
      request.log.warn({ requestId: request.id, method, route, statusCode, ms: elapsedTime }, 'Request failed');
    done();
  });
}

/** During shutdown, answers the requests under way and asks their connections to close. */
export function closeGracefully(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
  // A long answer that had begun before has promised to keep its connection, for which the server would wait.
  app.addHook('onResponse', ({ raw }, reply, done) => {
    if (closing && reply.getHeader('connection') !== 'close') raw.socket.end();
    done();
  });
}
