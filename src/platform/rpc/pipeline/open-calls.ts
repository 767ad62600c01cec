/** Counts calls whose work runs, also of callers that are gone. */
export interface OpenCalls {
  begin(): void;
  end(): void;
  /** Resolves when no call is open. */
  ended(): Promise<void>;
}

export function createOpenCalls(): OpenCalls {
  let count = 0;
  let waiting: PromiseWithResolvers<void> | undefined;
  return {
    begin() {
      count += 1;
    },
    end() {
      count -= 1;
      if (count === 0) waiting?.resolve();
    },
    async ended() {
      while (count > 0) {
        waiting = Promise.withResolvers();
        await waiting.promise;
      }
    },
  };
}
