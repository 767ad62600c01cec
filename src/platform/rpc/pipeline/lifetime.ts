import type { Deadline } from '../../clock.ts';

/** Counts calls whose work runs, also of callers that are gone. */
export function createOpenCalls() {
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
    /** Resolves when no call is open. */
    async ended(): Promise<void> {
      while (count > 0) {
        waiting = Promise.withResolvers();
        await waiting.promise;
      }
    },
  };
}

/** Why a call ended early. */
export type Ending = 'deadline' | 'cancelled';

export interface LifetimeOptions {
  /** Unix milliseconds. */
  readonly at: number;
  /**
   * Registers a function that ends the call when the caller disconnects. Returns a function that unregisters it, if
   * needed.
   */
  readonly onCancel?: ((cancel: () => void) => (() => void) | undefined) | undefined;
  /** Creates the error of a call that ends early. */
  readonly error: (ending: Ending) => Error;
  /** Counts the work, which may end after the call. */
  readonly openCalls: ReturnType<typeof createOpenCalls>;
}

/**
 * Settles as the work does. Rejects at once if the deadline passes, the caller disconnects or `end` is called; a later
 * result of the work is ignored. If the deadline has already passed, the work does not start.
 */
export function withLifetime<T>(
  options: LifetimeOptions,
  work: (deadline: Deadline, end: (error: Error) => void) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const remaining = options.at - Date.now();
    if (remaining <= 0) return reject(options.error('deadline'));
    let open = true;
    const deadline = new CallDeadline(options.at);
    let detach: (() => void) | undefined;

    const close = () => {
      open = false;
      clearTimeout(timer);
      detach?.();
    };
    const end = (error: Error) => {
      if (!open) return;
      close();
      reject(error);
      deadline.abort(error);
    };
    // grpc-js also reports a cancellation after each response, and an error with its stack is expensive.
    const endEarly = (ending: Ending) => {
      if (open) end(options.error(ending));
    };
    const timer = setTimeout(endEarly, remaining, 'deadline');
    detach = options.onCancel?.(() => endEarly('cancelled'));
    if (!open) return detach?.();

    options.openCalls.begin();
    work(deadline, end).then(
      (value) => {
        options.openCalls.end();
        close();
        resolve(value);
      },
      (error: unknown) => {
        options.openCalls.end();
        close();
        reject(error);
      },
    );
  });
}

/** A class, because V8 needs 0.7 us for an object literal with a getter. */
class CallDeadline implements Deadline {
  readonly at: number;
  #ended: Error | undefined;
  #controller: AbortController | undefined;

  constructor(at: number) {
    this.at = at;
  }

  /** Created on demand: most calls never read it, and a signal costs more than the other fields together. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) this.#controller.abort(this.#ended);
    }
    return this.#controller.signal;
  }

  isAborted(): boolean {
    return this.#ended !== undefined;
  }

  abort(error: Error): void {
    this.#ended = error;
    this.#controller?.abort(error);
  }
}
