// Errors that occur on the caller's side of a call.
import type { ReasonName } from '../../errors.ts';
import { DEFAULT_RETRY_AFTER_MS, REASONS } from '../../problem/catalogue.ts';
import { RpcError } from './rpc-error.ts';

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
