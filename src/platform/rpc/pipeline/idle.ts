import { withTimeout } from '../../concurrency/with-timeout.ts';
import { ServiceError } from '../../errors.ts';
import { DEFAULT_RETRY_AFTER_MS } from '../../problem/catalogue.ts';

/** Settles as `wait` does, or rejects with SERVICE_UNAVAILABLE if the caller does nothing for `idleMs` milliseconds. */
export function withinIdle<T>(idleMs: number, wait: Promise<T>): Promise<T> {
  return withTimeout(wait, idleMs, () => idle(idleMs));
}

function idle(idleMs: number): ServiceError {
  const detail = `The caller neither sent nor took a message for ${idleMs} ms`;
  return new ServiceError('SERVICE_UNAVAILABLE', { detail, retryAfterMs: DEFAULT_RETRY_AFTER_MS });
}
