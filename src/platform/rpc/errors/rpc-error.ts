// Errors of calls: the data sent to the caller, and how disclosure reduces it.
import type { Dependency, LoginChallenge, ReasonName, StepUp, Violation } from '../../errors.ts';
import { DEFAULT_RETRY_AFTER_MS, REASONS } from '../../problem/catalogue.ts';

/** The origin of an error, shown under maximal disclosure. */
export interface Diagnostics {
  readonly exceptionType: string;
  readonly exceptionMessage: string;
  readonly stackTrace: string;
}

/** The data of an error that is sent to the caller. Only error-status.ts creates it. */
export interface ErrorStatus {
  readonly reason: ReasonName;
  /** The actual cause under maximal disclosure, the reason's generic message under minimal disclosure. */
  readonly message: string;
  readonly violations: readonly Violation[];
  readonly retryAfterMs: number | undefined;
  readonly stepUp?: StepUp | undefined;
  /** The dependency that the call was waiting for when its deadline passed, if known. */
  readonly dependency?: Dependency | undefined;
  /** Present if a login needs a second factor. */
  readonly challenge?: LoginChallenge | undefined;
  /** Present only under maximal disclosure. */
  readonly diagnostics: Diagnostics | undefined;
  /** Id of the call, for the logs. */
  readonly requestId: string | undefined;
}

/** The error of every client call, over both transports. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly status: ErrorStatus;

  constructor(status: ErrorStatus) {
    super(status.message);
    this.status = status;
  }
}

/** Returns the result of coding a message on the client's side. Throws INTERNAL_ERROR if it fails. */
export function orInternalError<T>(requestId: string | undefined, code: () => T): T {
  try {
    return code();
  } catch (cause) {
    throw bareError('INTERNAL_ERROR', requestId, cause);
  }
}

/** Creates an error that no core has sent. It contains only its reason. */
export function bareError(reason: ReasonName, requestId: string | undefined, cause?: unknown): RpcError {
  const error = new RpcError({
    reason,
    message: REASONS[reason].detail,
    violations: [],
    retryAfterMs: reason === 'SERVICE_UNAVAILABLE' ? DEFAULT_RETRY_AFTER_MS : undefined,
    diagnostics: undefined,
    requestId,
  });
  if (cause !== undefined) error.cause = cause;
  return error;
}
