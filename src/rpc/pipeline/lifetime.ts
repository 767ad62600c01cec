import type { Deadline } from '../../clock.ts';

/** Why a call ended before its work did. */
export type Ending = 'deadline' | 'cancelled';

export interface LifetimeOptions {
  /** Unix milliseconds. */
  readonly at: number;
  /** Registers what ends the call when the caller goes away; returns how to unregister it, where that is needed. */
  readonly onCancel?: ((cancel: () => void) => (() => void) | undefined) | undefined;
  /** The error that the call is rejected with when it ends early. */
  readonly error: (ending: Ending) => Error;
}

/**
 * Settles as the work does, or rejects as soon as the deadline passes, the caller goes away or somebody ends it with an
 * error; what the work comes to after that is dropped. Work whose deadline has passed already is not begun.
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
      // Most calls never look, and a signal costs more than the rest of this.
      get signal() {
        if (controller === undefined) {
          controller = new AbortController();
          if (ended !== undefined) controller.abort(ended);
        }
        return controller.signal;
      },
      isAborted: () => ended !== undefined,
    };
    work(deadline, end).then(
      (value) => {
        close();
        resolve(value);
      },
      (error: unknown) => {
        close();
        reject(error);
      },
    );
  });
}
