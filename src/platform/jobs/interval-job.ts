import type { BackgroundDatabase } from './background.ts';

/** A job that runs until it is stopped. */
export interface RunningJob {
  /** Lets the current run end, and begins no other. */
  stop(): Promise<void>;
}

/**
 * Runs a job at each interval, first after one interval. A run that takes longer skips the next one. The timer does not keep the process
 * running.
 *
 * @param options.database What the job uses. Its statements leave room for calls.
 * @param options.onFailure Reports a run that failed. The next interval tries again.
 */
export function startJob(options: {
  readonly database: BackgroundDatabase;
  readonly intervalMs: number;
  readonly run: (stopping: AbortSignal) => Promise<unknown>;
  readonly onFailure: (error: unknown) => void;
}): RunningJob {
  const { intervalMs, run, onFailure } = options;
  const stopping = new AbortController();
  let running: Promise<unknown> | undefined;
  const begin = () =>
    run(stopping.signal)
      .catch(onFailure)
      .finally(() => (running = undefined));
  const timer = setInterval(() => void (running ??= begin()), intervalMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
