import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, Outcome } from './caller.ts';

export interface LoadPlan {
  /** Maximum number of concurrent calls. */
  readonly concurrency: number;
  readonly durationMs: number;
  /** Calls that start per second. Default: a new call starts when another one ends. */
  readonly perSecond?: number | undefined;
}

/** The result of a load test. */
export interface LoadResult {
  /** Actual duration. */
  readonly milliseconds: number;
  /** Number of calls by outcome. */
  readonly outcomes: ReadonlyMap<Outcome, number>;
  /** HDR histogram of the calls with status 0, in nanoseconds. */
  readonly latency: RecordableHistogram;
}

/**
 * Runs a load test. With a rate, the latency of a call is measured from its scheduled start, so it includes the time that the call
 * waited for earlier calls.
 */
export async function load(caller: Caller, { concurrency, durationMs, perSecond }: LoadPlan): Promise<LoadResult> {
  const outcomes = new Map<Outcome, number>();
  const latency = createHistogram({ lowest: 1_000, highest: 120e9, figures: 3 });
  const began = performance.now();
  const endsAt = began + durationMs;
  let due = 0;

  /** Scheduled start of the next call. Undefined if there are no more calls. */
  function nextStart(): number | undefined {
    const now = performance.now();
    const at = perSecond === undefined ? now : began + (1000 * due) / perSecond;
    due += 1;
    return Math.max(at, now) < endsAt ? at : undefined;
  }

  async function callAgainAndAgain(): Promise<void> {
    for (let at = nextStart(); at !== undefined; at = nextStart()) {
      const early = at - performance.now();
      if (early > 0) await sleep(early);
      const outcome = await caller.call();
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (outcome === 0) latency.record(Math.max(1_000, Math.round((performance.now() - at) * 1e6)));
    }
  }

  await Promise.all(Array.from({ length: concurrency }, callAgainAndAgain));
  return { milliseconds: performance.now() - began, outcomes, latency };
}
