// Streams can stay open for long, so their credentials are checked again at intervals, in one batch. A credential
// revoked by any process ends its streams within seconds.
import { ServiceError } from '../../errors.ts';

/** An open stream. */
interface WatchedStream {
  /** Rejects with ServiceError if the stream must end. Any other error is ignored. */
  readonly check: () => Promise<unknown>;
  readonly end: (error: ServiceError) => void;
}

/**
 * Returns a function that watches a stream, and returns one that stops watching it. Checks every watched stream once per
 * interval, in milliseconds. No timer runs while no stream is open.
 */
export function createStreamWatch(intervalMs: number) {
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
      // The stream may have ended meanwhile. Or it is being committed, and the commit runs its own check.
      if (error instanceof ServiceError && streams.delete(stream)) stream.end(error);
    }
  }

  return (stream: WatchedStream): (() => void) => {
    streams.add(stream);
    if (!running) schedule();
    return () => void streams.delete(stream);
  };
}
