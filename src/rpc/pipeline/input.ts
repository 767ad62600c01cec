import { stopIterator } from './streams.ts';

/** A stream of requests, as the handler reads it. */
export interface BoundedInput<T> extends AsyncIterable<T> {
  /** Stops the source. */
  close(): void;
}

/**
 * Returns a stream that ends with the call. When the signal aborts, reads reject and the source is stopped, whatever it
 * is doing.
 */
export function boundInput<T>(source: AsyncIterable<T>, signal: AbortSignal): BoundedInput<T> {
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

  const next = () =>
    new Promise<IteratorResult<T>>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (!open) return resolve({ done: true, value: undefined });
      rejectPending = reject;
      iterator.next().then(resolve, reject);
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
