/** Resolves after a time. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** Like setTimeout, with any delay and without keeping the process alive. Returns a function that cancels it. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1));
  (timer as unknown as { unref?: () => void }).unref?.();
  return () => clearTimeout(timer);
}

/** Settles like the promise, or rejects with the signal's reason if it aborts first. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
