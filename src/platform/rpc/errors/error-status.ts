// Selects the parts of an error that are sent to the caller of an RPC, by disclosure mode.
import { DependencyUnavailableError, ServiceError, type DisclosureMode, type ReasonName } from '../../errors.ts';
import { DEFAULT_RETRY_AFTER_MS, REASONS, refusesUser } from '../../problem/catalogue.ts';
import { diagnose, safeText } from './diagnostics.ts';
import type { ErrorStatus } from './rpc-error.ts';
import { capViolations } from './violations.ts';

export interface DisclosureOptions {
  readonly disclosure: DisclosureMode;
  /** Maximum length of a disclosed stack trace, in code points. */
  readonly maxStackTraceChars: number;
}

/**
 * Converts any thrown value to a ServiceError. An unavailable dependency gets the given reason; anything else is an
 * unexpected server error.
 */
export function toServiceError(error: unknown, unavailable: ReasonName): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof DependencyUnavailableError) {
    return new ServiceError(unavailable, { detail: error.message, retryAfterMs: DEFAULT_RETRY_AFTER_MS, cause: error });
  }
  return new ServiceError('INTERNAL_ERROR', { detail: safeText(error), cause: error });
}

/** Returns the error that its caller gets: under minimal disclosure, the same one for all refusals of a user. */
export function hideRefusal(error: ServiceError, { disclosure }: Pick<DisclosureOptions, 'disclosure'>): ServiceError {
  const isHidden = disclosure === 'minimal' && refusesUser(error.reason) && !error.alwaysNamed;
  return isHidden ? new ServiceError('BAD_CREDENTIALS', { cause: error }) : error;
}

/**
 * Converts an error to the status for its caller. NOT_FOUND shows no frames, because they would distinguish another
 * tenant's record from one that does not exist.
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
    stepUp: error.stepUp,
    dependency: error.dependency,
    challenge: error.challenge,
    diagnostics: maximal ? diagnose(error, { ...options, withFrames: error.reason !== 'NOT_FOUND' }) : undefined,
    requestId,
  };
}

/** A ServiceError without detail uses its public message or its reason as the message. */
function detailOf(error: ServiceError): string | undefined {
  return error.message === error.reason ? undefined : error.message;
}
