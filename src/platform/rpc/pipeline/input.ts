import { withTimeout } from '../../concurrency/with-timeout.ts';
import { ServiceError } from '../../errors.ts';
import { DEFAULT_RETRY_AFTER_MS } from '../../problem/catalogue.ts';
import { stopIterator } from './streams.ts';

/** A stream of requests, as the handler reads it. */
export interface BoundedInput<T> extends AsyncIterable<T> {
  /** Stops the source. */
  close(): void;
}

/** Steps between a stream's messages and their reader. */
interface InputOptions<T, U> {
  /** Timeout for the next message, in milliseconds. */
  readonly idleMs?: number;
  /** Converts and validates a message. If it throws, the read rejects with this error. */
  receive(message: T): U;
  /** Called with an error of the source. The read then rejects with it. */
  readonly onSourceError?: ((error: unknown) => void) | undefined;
}

/**
 * Returns a stream that ends with the call. When the signal aborts, reads reject and the source is stopped, whatever it
 * is doing. Rejects with SERVICE_UNAVAILABLE if the next message takes longer than `idleMs`.
 */
export function boundInput<T, U>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
  { idleMs, receive, onSourceError }: InputOptions<T, U>,
): BoundedInput<U> {
  const iterator = source[Symbol.asyncIterator]();
  let open = true;
  let rejectPending: ((reason: unknown) => void) | undefined;

  const close = () => {
    if (!open) return;
    open = false;
    signal.removeEventListener('abort', onAbort);
    stopIterator(iterator);
  };
  const onAbort = () => {
    rejectPending?.(signal.reason);
    close();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();

  const read = async (): Promise<IteratorResult<U>> => {
    const arrived = iterator.next().catch((error: unknown) => {
      onSourceError?.(error);
      throw error;
    });
    const { done, value } = await (idleMs === undefined ? arrived : withinIdle(idleMs, arrived));
    return done === true ? { done, value: undefined } : { done: false, value: receive(value) };
  };
  const next = () =>
    new Promise<IteratorResult<U>>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (!open) return resolve({ done: true, value: undefined });
      rejectPending = reject;
      read().then(resolve, reject);
    });
  return {
    close,
    [Symbol.asyncIterator]: () => ({
      next,
      async return() {
        close();
        return { done: true, value: undefined };
      },
    }),
  };
}

/** Settles as `wait` does, or rejects with SERVICE_UNAVAILABLE if the caller does nothing for `idleMs` milliseconds. */
export function withinIdle<T>(idleMs: number, wait: Promise<T>): Promise<T> {
  return withTimeout(wait, idleMs, () => idle(idleMs));
}

function idle(idleMs: number): ServiceError {
  const detail = `The caller neither sent nor took a message for ${idleMs} ms`;
  return new ServiceError('SERVICE_UNAVAILABLE', { detail, retryAfterMs: DEFAULT_RETRY_AFTER_MS });
}
