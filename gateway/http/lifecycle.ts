// Hooks that apply to all requests.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HandleError } from '../errors/error-handler.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { unroutedHandler } from '../errors/unrouted.ts';
import type { HttpMetrics } from '../metrics.ts';
import { transferCodingError } from './framing.ts';
import { namesOneHost } from './host-header.ts';
import { traceFields } from './trace-requests.ts';

/** The route label of requests that match no route. */
const UNROUTED = 'none';

/**
 * Adds hooks to all requests. They set X-Request-Id, reject invalid headers and unknown routes before the body is read, and
 * record metrics and log lines of responses.
 */
export function followRequests(app: FastifyInstance, handleError: HandleError, metrics: HttpMetrics): void {
  const unrouted = unroutedHandler(app, handleError);
  app.setNotFoundHandler(unrouted);

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const codingError = transferCodingError(request.raw);
    if (!namesOneHost(request.raw))
      handleError(new GatewayError('MALFORMED_REQUEST', 'Send exactly one valid Host header'), request, reply);
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
      request.log.warn(
        { requestId: request.id, ...traceFields(request), method, route, statusCode, ms: elapsedTime },
        'Request failed',
      );
    done();
  });
}

/** During shutdown, finishes the requests in progress and closes their connections. */
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
  // A response whose headers were sent before the shutdown announced keep-alive. The server would wait for its connection.
  app.addHook('onResponse', ({ raw }, reply, done) => {
    if (closing && reply.getHeader('connection') !== 'close') raw.socket.end();
    done();
  });
}
