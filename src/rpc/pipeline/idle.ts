import { ServiceError } from '../../errors.ts';
import { DEFAULT_RETRY_AFTER_MS } from '../../problem/catalogue.ts';

/** Settles as the wait for the other end of a stream does, unless that takes longer than `idleMs`: then SERVICE_UNAVAILABLE. */
export function withinIdle<T>(idleMs: number, wait: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(idle(idleMs)), idleMs);
    const end = () => clearTimeout(timer);
    void wait.then(resolve, reject).finally(end);
  });
}

function idle(idleMs: number): ServiceError {
  const detail = `The caller moved nothing for ${idleMs} ms`;
  return new ServiceError('SERVICE_UNAVAILABLE', { detail, retryAfterMs: DEFAULT_RETRY_AFTER_MS });
}

/** A stream of which every message must come within the limit. */
export function withoutIdling<T>(source: AsyncIterable<T>, idleMs: number): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]();
      return {
        next: () => withinIdle(idleMs, iterator.next()),
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
