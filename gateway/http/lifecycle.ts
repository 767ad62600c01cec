// Hooks that apply to all requests.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type HandleError, unroutedHandler } from '../errors/error-handler.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { HttpMetrics } from '../metrics.ts';
import { transferCodingError } from './framing.ts';
import { traceFields } from './trace-requests.ts';

/** The route label of requests that match no route. */
const UNROUTED = 'none';
/** The status label of requests whose client disconnected before the response. nginx uses this code too. */
const CLIENT_DISCONNECTED = 499;

/** Adds hooks to all requests. They set X-Request-Id, and reject invalid headers and unknown routes before the body is read. */
export function followRequests(app: FastifyInstance, handleError: HandleError): void {
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
}

interface Records {
  readonly metrics: HttpMetrics;
  readonly log: Logger;
}

interface FollowOptions extends Records {
  /** Aborts when the process begins to stop. */
  readonly stopping: AbortSignal | undefined;
}

/**
 * Adds the hooks that record the metrics and log lines of requests, and that end connections gracefully: from the begin of a
 * shutdown, each response is the last one of its connection. Call it before hooks that can end a request.
 */
export function followResponses(app: FastifyInstance, { stopping, ...records }: FollowOptions): void {
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    // A turn of the event loop accepts the connections that the kernel has made. It resets those that are left at the end of a listener.
    setImmediate(setImmediate, done);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const started = performance.now();
    // Fastify's onResponse does not run if the client disconnects, and costs two listeners more.
    reply.raw.on('close', () => {
      recordRequest(request, reply, performance.now() - started, records);
      // A response whose headers were sent before the shutdown announced keep-alive. The server would wait for its connection.
      if (closing && reply.getHeader('connection') !== 'close') request.raw.socket.end();
    });
    done();
  });
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (closing || stopping?.aborted) {
      if (canBeLast(raw)) reply.header('connection', 'close');
      // Fastify sets it in a closing server.
      else if (reply.raw.hasHeader('connection')) reply.raw.removeHeader('connection');
    }
    done(null, payload);
  });
}

/** Whether a connection can close after the response. A reset would discard it if a part of the body were unread. */
function canBeLast({ headers, complete }: IncomingMessage): boolean {
  return complete || (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0);
}

function recordRequest(request: FastifyRequest, reply: FastifyReply, ms: number, { metrics, log }: Records): void {
  const { method } = request;
  const statusCode = reply.raw.headersSent ? reply.statusCode : CLIENT_DISCONNECTED;
  const route = request.routeOptions.url ?? UNROUTED;
  metrics.observeHttp(method, route, statusCode, ms);
  if (statusCode >= 500)
    log.warn({ requestId: request.id, ...traceFields(request), method, route, statusCode, ms }, 'Request failed');
}

/** A host with an optional port (RFC 3986 section 3.2), or empty. No comma, because Node joins repeated headers with it. */
const HOST = /^(?:[\w\-.~!$&'()*+;=%]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Whether a request has exactly one valid Host header (RFC 9112 section 3.2). HTTP/1.0 does not require one. Of several, Node keeps
 * the first, but a proxy might use the last.
 */
function namesOneHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const { host } = headers;
  if (host === undefined) return httpVersion !== '1.1';
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 && HOST.test(host);
}
