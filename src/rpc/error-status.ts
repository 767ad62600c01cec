// What of a failure crosses the wire, by disclosure mode.
import { DependencyUnavailableError, ServiceError } from '../errors.ts';
import type { ReasonName } from '../errors.ts';
import { DEFAULT_RETRY_AFTER_MS, REASONS } from './reasons.ts';
import type { Diagnostics, ErrorStatus } from './rpc-error.ts';
import { cutText, safeFrames } from './stack-trace.ts';

export interface DisclosureOptions {
  readonly disclosure: 'maximal' | 'minimal';
  /** Bound of a disclosed stack trace, in code points. */
  readonly maxStackTraceChars: number;
}

/** Whatever was thrown, as a ServiceError: a missing dependency by the given reason, anything else is a defect. */
export function toServiceError(error: unknown, unavailable: ReasonName): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof DependencyUnavailableError) {
    return new ServiceError(unavailable, { detail: error.message, retryAfterMs: DEFAULT_RETRY_AFTER_MS, cause: error });
  }
  return new ServiceError('INTERNAL_ERROR', { detail: safeText(error), cause: error });
}

/** The one mapping of a failure to what its caller gets to know. */
export function toErrorStatus(error: ServiceError, requestId: string, options: DisclosureOptions): ErrorStatus {
  const maximal = options.disclosure === 'maximal';
  const { message: generic, fixed } = REASONS[error.reason];
  const stated = error.publicMessage ?? generic;
  return {
    reason: error.reason,
    message: (maximal && fixed === undefined ? (detailOf(error) ?? stated) : stated).toWellFormed(),
    violations: error.violations,
    retryAfterMs: error.retryAfterMs,
    diagnostics: maximal ? diagnose(error, options.maxStackTraceChars) : undefined,
    requestId,
  };
}

/** A ServiceError without detail has its public message or its reason for a message. */
function detailOf(error: ServiceError): string | undefined {
  return error.message === error.reason ? undefined : error.message;
}

function diagnose(error: ServiceError, maxStackTraceChars: number): Diagnostics {
  const chain = causes(error);
  const texts = [...new Set(chain.map(safeText))];
  // A trace tells which way the code went, and so a record of another tenant from one that does not exist.
  const traced = error.reason === 'NOT_FOUND' ? () => [] : frames;
  const traces = chain.map((link) => [`${className(link)}: ${safeText(link)}`, ...traced(link)].join('\n'));
  return {
    exceptionType: className(chain.at(-1)),
    exceptionMessage: texts.join('; caused by ').toWellFormed(),
    stackTrace: cutText(traces.join('\nCaused by: ').toWellFormed(), maxStackTraceChars),
  };
}

/** The error, its cause, and so on to the root failure. */
function causes(error: unknown, chain: unknown[] = []): unknown[] {
  if (chain.length === 8 || chain.includes(error)) return chain;
  chain.push(error);
  return error instanceof Error && error.cause !== undefined ? causes(error.cause, chain) : chain;
}

function frames(error: unknown): string[] {
  return error instanceof Error ? safeFrames(error) : [];
}

function className(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return /^[\w$.]{1,80}$/.test(error.name) ? error.name : 'Error';
}

/** An error's message where we know who wrote it, else no more than its class and code: messages quote values. */
function safeText(error: unknown): string {
  if (error instanceof ServiceError || error instanceof DependencyUnavailableError) return error.message;
  const { safeMessage, message, code } = (error ?? {}) as Record<string, unknown>;
  if (safeMessage === true && typeof message === 'string') return message;
  const speaks = (typeof code === 'string' || typeof code === 'number') && /^[\w.-]{1,64}$/.test(`${code}`);
  return speaks ? `${className(error)} (${code})` : className(error);
}
