/** Settles as `work` does. If that takes longer than `timeoutMs` milliseconds, rejects with the result of `createError`. */
export function withTimeout<T>(work: Promise<T>, timeoutMs: number, createError: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(createError()), timeoutMs);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
