import type { Logger } from 'pino';
import { DependencyUnavailableError, type ReasonName, type ServiceError } from '../../errors.ts';
import { isServerFault } from '../../problem/catalogue.ts';
import type { Span, TraceHeaders, Tracer } from '../../tracing/tracer.ts';

interface CallFacts {
  readonly path: string;
  readonly requestId: string;
  readonly milliseconds: number;
}

/** Levels of failures. A refusal is normal operation and logs at info. */
const LEVELS: Partial<Record<ReasonName, 'error' | 'warn' | 'debug'>> = {
  INTERNAL_ERROR: 'error',
  AUTHENTICATION_SERVICE_UNAVAILABLE: 'warn',
  SERVICE_UNAVAILABLE: 'warn',
  CANCELLED: 'debug',
};

/** Logs one line per call: at debug if it succeeded, else with reason, detail and cause. */
export function logOutcome(log: Logger, call: CallFacts, error: ServiceError | undefined): void {
  const level = error === undefined ? 'debug' : (LEVELS[error.reason] ?? 'info');
  if (!log.isLevelEnabled(level)) return;
  const facts = {
    rpc: call.path,
    requestId: call.requestId,
    milliseconds: Math.round(call.milliseconds * 1000) / 1000,
    reason: error?.reason ?? 'OK',
  };
  if (error === undefined) return log[level](facts, 'call served');
  const defect = error.reason === 'INTERNAL_ERROR';
  const origin = error.cause ?? (defect ? error : undefined);
  const cause = origin === undefined ? undefined : describe(origin);
  log[level]({ ...facts, detail: error.message, cause }, defect ? 'call failed' : 'call refused');
}

/** Logs only these properties. Errors of database drivers have others that contain whole statements. */
function describe(cause: unknown): object {
  if (!(cause instanceof Error)) return { type: typeof cause };
  if (cause instanceof DependencyUnavailableError) return { type: cause.name, message: cause.message };
  const { name, message, stack, code } = cause as Error & { code?: unknown };
  return { type: name, message, code, stack };
}

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
