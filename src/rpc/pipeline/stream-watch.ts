// Open streams live long: their credentials are checked again every now and then, all of a moment together, so that a
// revoked one ends its streams within seconds, whichever process revoked it.
import { ServiceError } from '../../errors.ts';

/** An open stream. */
export interface WatchedStream {
  /** Rejects with ServiceError once the stream must end. Any other failure proves nothing. */
  readonly check: () => Promise<unknown>;
  readonly end: (error: ServiceError) => void;
}

/** Watches a stream; returns how to stop that. */
export type WatchStream = (stream: WatchedStream) => () => void;

/** Checks every watched stream once in each interval, in milliseconds. No timer runs while there is none. */
export function createStreamWatch(intervalMs: number): WatchStream {
  const streams = new Set<WatchedStream>();
  let running = false;

  function schedule(): void {
    running = streams.size > 0;
    if (running) setTimeout(() => void checkAll().then(schedule), intervalMs).unref();
  }

  async function checkAll(): Promise<void> {
    await Promise.all([...streams].map(checkOne));
  }

  async function checkOne(stream: WatchedStream): Promise<void> {
    try {
      await stream.check();
    } catch (error) {
      // The stream may have ended meanwhile, or its commit may be under way, which checks for itself.
      if (error instanceof ServiceError && streams.delete(stream)) stream.end(error);
    }
  }

  return (stream) => {
    streams.add(stream);
    if (!running) schedule();
    return () => void streams.delete(stream);
  };
}
