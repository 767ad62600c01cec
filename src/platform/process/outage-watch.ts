// Logs the start and the end of an outage of a dependency, however many calls fail meanwhile.
import type { Logger } from 'pino';
import { REAL_TIMING, type Timing } from '../timing.ts';

export interface OutageWatch {
  /** Returns why the dependency cannot be used now; undefined if it can. */
  check(): Promise<string | undefined>;
  close(): void;
}

/** Time between two checks, in milliseconds, without an outage and during one. */
const INTERVAL_MS = 5_000;
const OUTAGE_INTERVAL_MS = 1_000;

/**
 * Checks a dependency at intervals and whenever a caller asks. An outage is logged if a second check fails, too: the process itself may
 * have stalled during the first one. Each reason of an outage is logged once.
 */
export function createOutageWatch(options: {
  /** For messages, without secrets. */
  readonly name: string;
  /** Returns why the dependency cannot be used now, without secrets. Never rejects. */
  readonly probe: () => Promise<string | undefined>;
  readonly log: Logger;
  readonly timing?: Timing;
}): OutageWatch {
  const { name, probe, log, timing = REAL_TIMING } = options;
  const closing = new AbortController();
  const logged = new Set<string>();
  let failedAt: number | undefined;
  let pause = new AbortController();
  let running: Promise<string | undefined> | undefined;

  async function run(): Promise<string | undefined> {
    const problem = await probe();
    if (closing.signal.aborted) return problem;
    if (problem === undefined) {
      if (failedAt !== undefined && logged.size > 0)
        log.info({ seconds: Math.round((timing.now() - failedAt) / 1000) }, `${name} can be used again`);
      failedAt = undefined;
      logged.clear();
    } else if (failedAt === undefined) {
      failedAt = timing.now();
      pause.abort();
    } else if (!logged.has(problem)) {
      logged.add(problem);
      log.error({ reason: problem }, `${name} cannot be used, not ready`);
    }
    return problem;
  }

  /** Callers at the same time share a check. */
  const check = (): Promise<string | undefined> => (running ??= run().finally(() => (running = undefined)));

  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      const problem = await check();
      pause = new AbortController();
      await timing.sleep(
        problem === undefined ? INTERVAL_MS : OUTAGE_INTERVAL_MS,
        AbortSignal.any([closing.signal, pause.signal]),
      );
    }
  }

  void watch();
  return { check, close: () => closing.abort() };
}
