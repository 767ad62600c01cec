// One span for each request, from its header to the end of its response.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import type { Span, TraceHeaders, Tracer } from '../../src/tracing/tracer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if tracing is off. */
    span?: Span;
  }
}

/** Adds the hooks that start and end the span of a request. Call it before other hooks, which can end a request. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { method } = request;
    const route = request.routeOptions.url;
    // Probes would fill a collector with traces that nobody reads.
    if (route?.startsWith('/health/')) return done();
    request.span = tracer.start(route === undefined ? method : `${method} ${route}`, {
      kind: 'server',
      parent: traceHeaders(request.headers),
      // The path itself could contain anything.
      attributes: { 'http.request.method': method, ...(route && { 'http.route': route }), 'request.id': request.id },
    });
    done();
  });

  app.addHook('onResponse', ({ span }, { statusCode }, done) => {
    span?.set({ 'http.response.status_code': statusCode });
    span?.end(statusCode >= 500 ? String(statusCode) : undefined);
    done();
  });
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
