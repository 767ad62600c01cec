// What happens to every request, whatever its route.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SendFailure } from '../errors/dialects.ts';
import { failure } from '../errors/problem.ts';
import { unroutedHandler } from '../errors/unrouted.ts';
import type { HttpMetrics } from '../metrics.ts';

/** The label of requests that match no route. */
const UNROUTED = 'none';

/** RFC 9112 section 3.2: an HTTP/1.1 request names its host. */
const lacksHost = ({ raw }: FastifyRequest): boolean => raw.headers.host === undefined && raw.httpVersion === '1.1';

/** Names every answer, answers what has no route before reading its body, and counts and logs what was answered. */
export function followRequests(app: FastifyInstance, send: SendFailure, metrics: HttpMetrics): void {
  const unrouted = unroutedHandler(app, send);
  app.setNotFoundHandler(unrouted);

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (lacksHost(request)) send(request, reply, failure('MALFORMED_REQUEST', 'The Host header is missing'));
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
}
