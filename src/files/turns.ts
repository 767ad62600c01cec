import { ServiceError } from '../errors.ts';

export interface TurnOptions {
  /** How many may work at once. */
  readonly maxConcurrent: number;
  /** How many more may wait. */
  readonly maxQueued: number;
}

/** Runs work when its turn comes. Rejects with SERVICE_UNAVAILABLE where too many wait, and once the signal has aborted. */
export type InTurn = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

export function createTurns({ maxConcurrent, maxQueued }: TurnOptions): InTurn {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (signal, work) => {
    if (running >= maxConcurrent) {
      if (queue.length >= maxQueued) throw busy('too many images are being read');
      await new Promise<void>((resolve) => queue.push(resolve));
    } else {
      running += 1;
    }
    try {
      if (signal.aborted) throw busy('the call ended while the image waited to be read');
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

function busy(detail: string): ServiceError {
  return new ServiceError('SERVICE_UNAVAILABLE', { detail, retryAfterMs: 2_000 });
}
