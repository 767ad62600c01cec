/** Stops an iterator without waiting for it. A source that waits for something else must not delay the call. */
export function stopIterator(iterator: AsyncIterator<unknown>): void {
  iterator.return?.()?.catch(() => {});
}

/**
 * Writes all messages of a stream, one at a time. Stops early when the signal aborts, even if a write never settles because the
 * reader is gone.
 */
export async function pump<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
  write: (message: T) => Promise<void>,
): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  let stopWaiting = () => {};
  const stop = () => {
    stopIterator(iterator);
    stopWaiting();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done === true || signal.aborted) return;
      await new Promise<void>((resolve, reject) => {
        stopWaiting = resolve;
        write(value).then(resolve, reject);
      });
    }
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Passes messages from one writer to one reader. A write settles only when the reader asks for the message. */
export function createHandoff<T>() {
  let wanted = Promise.withResolvers<void>();
  let offer = openOffer<T>();
  return {
    async put(message: T): Promise<void> {
      await wanted.promise;
      wanted = Promise.withResolvers();
      const { resolve } = offer;
      offer = openOffer();
      resolve({ done: false, value: message });
    },
    take(): Promise<IteratorResult<T>> {
      wanted.resolve();
      return offer.promise;
    },
    end: () => offer.resolve({ done: true, value: undefined }),
    fail: (error: unknown) => offer.reject(error),
  };
}

function openOffer<T>(): PromiseWithResolvers<IteratorResult<T>> {
  const offer = Promise.withResolvers<IteratorResult<T>>();
  offer.promise.catch(() => {}); // the reader may have stopped
  return offer;
}
