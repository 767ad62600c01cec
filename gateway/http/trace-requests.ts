// One span for each request, from its header to the end of its response.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import type { Span, SpanOptions, TraceHeaders, Tracer } from '../../src/platform/tracing/tracer.ts';
import { proxyCheck } from './client-address.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if tracing is off. */
    span?: Span;
  }
}

/**
 * Adds the hook that starts the span of a request. The span ends with the response or the connection. Call it before other hooks,
 * which can end a request.
 */
export function traceRequests(app: FastifyInstance, tracer: Tracer, trustedProxies: readonly string[]): void {
  const isTrusted = proxyCheck(trustedProxies);
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, raw } = request;
    const route = request.routeOptions.url;
    // Probes would fill a collector with traces without readers.
    if (route?.startsWith('/health/')) return done();
    const span = tracer.start(route === undefined ? method : `${method} ${route}`, {
      kind: 'server',
      ...position(traceHeaders(headers), isTrusted(raw.socket.remoteAddress ?? '')),
      // The path itself could contain anything.
      attributes: { 'http.request.method': method, ...(route && { 'http.route': route }), 'request.id': request.id },
    });
    request.span = span;
    // Fastify's onResponse does not run if the client disconnects.
    reply.raw.once('close', () => endSpan(span, reply));
    done();
  });
}

/** Any client could demand that its requests are recorded or not. So the trace of one that is not trusted is only a link. */
function position(client: TraceHeaders | undefined, isTrusted: boolean): Pick<SpanOptions, 'parent' | 'links'> {
  if (client === undefined) return {};
  return isTrusted ? { parent: client } : { links: [client] };
}

function endSpan(span: Span, { raw, statusCode }: FastifyReply): void {
  if (raw.headersSent) span.set({ 'http.response.status_code': statusCode });
  if (!raw.writableFinished) span.end('client_disconnected');
  else span.end(statusCode >= 500 ? String(statusCode) : undefined);
}

/** Returns the fields of a log line that name the trace of a request. */
export function traceFields({ span }: FastifyRequest): { readonly trace_id?: string } {
  return span === undefined ? {} : { trace_id: span.traceId };
}

/** Returns the client's trace context (W3C Trace Context), if the client sent one. */
function traceHeaders({ traceparent, tracestate }: IncomingHttpHeaders): TraceHeaders | undefined {
  if (typeof traceparent !== 'string') return undefined;
  return { traceparent, tracestate: Array.isArray(tracestate) ? tracestate.join(',') : tracestate };
}
