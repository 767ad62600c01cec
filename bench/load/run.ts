import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, Outcome } from './caller.ts';

export interface LoadPlan {
  /** Most calls at once. */
  readonly concurrency: number;
  readonly durationMs: number;
  /** Calls that begin in a second. Default: as many as come back. */
  readonly perSecond?: number | undefined;
}

/** What a load came to. */
export interface LoadResult {
  /** How long it took in fact. */
  readonly milliseconds: number;
  /** How many calls came to each outcome. */
  readonly outcomes: ReadonlyMap<Outcome, number>;
  /** HDR histogram of the calls with status 0, in nanoseconds. */
  readonly latency: RecordableHistogram;
}

/**
 * Loads a server. With a rate, a call's latency counts from when it was due: one that had to wait for its predecessors is slow, even
 * if it was quick in the end.
 */
export async function load(caller: Caller, { concurrency, durationMs, perSecond }: LoadPlan): Promise<LoadResult> {
  const outcomes = new Map<Outcome, number>();
  const latency = createHistogram({ lowest: 1_000, highest: 120e9, figures: 3 });
  const began = performance.now();
  const endsAt = began + durationMs;
  let due = 0;

  /** When the next call is to begin; undefined when there is none. */
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
