import type { ReasonName } from '../../errors.ts';
import { isServerFault } from '../errors/server-faults.ts';
import type { Span, TraceHeaders, Tracer } from '../../tracing/tracer.ts';

/** Starts the span of a call: a child of the caller's span, else a new trace. */
export function startCallSpan(tracer: Tracer, path: string, parent: TraceHeaders | undefined): Span {
  const method = path.slice(1);
  const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': method };
  return tracer.start(method, { kind: 'server', parent, attributes });
}

/** Ends the span of a call with its outcome. */
export function endCallSpan(span: Span, requestId: string, reason: ReasonName | 'OK'): void {
  span.set({ 'request.id': requestId, 'rpc.reason': reason });
  span.end(isServerFault(reason) ? reason : undefined);
}
