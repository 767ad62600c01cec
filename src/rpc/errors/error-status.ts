// What of a failure crosses the wire, by disclosure mode.
import { DependencyUnavailableError, ServiceError } from '../../errors.ts';
import type { ReasonName } from '../../errors.ts';
import { diagnose, safeText } from './diagnostics.ts';
import { DEFAULT_RETRY_AFTER_MS, REASONS } from '../../problem/catalogue.ts';
import type { ErrorStatus } from './rpc-error.ts';
import { capViolations } from './violations.ts';

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

/**
 * The one mapping of a failure to what its caller gets to know. NOT_FOUND shows no frames: they would tell a record of another
 * tenant from one that does not exist.
 */
export function toErrorStatus(error: ServiceError, requestId: string, options: DisclosureOptions): ErrorStatus {
  const maximal = options.disclosure === 'maximal';
  const { detail, fixedDetail, keepsPublicText } = REASONS[error.reason];
  const publicText = error.publicMessage ?? detail;
  const showsReason = maximal && !fixedDetail && !keepsPublicText;
  return {
    reason: error.reason,
    message: ((showsReason ? detailOf(error) : undefined) ?? publicText).toWellFormed(),
    violations: capViolations(error.violations),
    retryAfterMs: error.retryAfterMs,
    dependency: error.dependency,
    diagnostics: maximal ? diagnose(error, { ...options, withFrames: error.reason !== 'NOT_FOUND' }) : undefined,
    requestId,
  };
}

/** A ServiceError without detail has its public message or its reason for a message. */
function detailOf(error: ServiceError): string | undefined {
  return error.message === error.reason ? undefined : error.message;
}
