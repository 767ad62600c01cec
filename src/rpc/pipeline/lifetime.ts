import type { Deadline } from '../../clock.ts';
import type { OpenCalls } from './open-calls.ts';

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
  readonly openCalls?: OpenCalls;
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
    let ended: Error | undefined;
    let controller: AbortController | undefined;
    let detach: (() => void) | undefined;

    const close = () => {
      open = false;
      clearTimeout(timer);
      detach?.();
    };
    const end = (error: Error) => {
      if (!open) return;
      ended = error;
      close();
      reject(ended);
      controller?.abort(ended);
    };
    const timer = setTimeout(() => end(options.error('deadline')), remaining);
    detach = options.onCancel?.(() => end(options.error('cancelled')));
    if (!open) return detach?.();

    const deadline: Deadline = {
      at: options.at,
      // Created on demand: most calls never read it, and a signal costs more than the other fields together.
      get signal() {
        if (controller === undefined) {
          controller = new AbortController();
          if (ended !== undefined) controller.abort(ended);
        }
        return controller.signal;
      },
      isAborted: () => ended !== undefined,
    };
    options.openCalls?.begin();
    work(deadline, end).then(
      (value) => {
        options.openCalls?.end();
        close();
        resolve(value);
      },
      (error: unknown) => {
        options.openCalls?.end();
        close();
        reject(error);
      },
    );
  });
}
