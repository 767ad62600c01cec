import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Caller, Outcome } from './caller.ts';

export interface LoadPlan {
  /** Maximum number of concurrent calls. */
  readonly concurrency: number;
  readonly durationMs: number;
  /** Calls that start per second. Default: a new call starts when another one ends. */
  readonly perSecond?: number | undefined;
}

/** The time of a load test, in milliseconds. */
export interface LoadClock {
  now(): number;
  /** Waits about this time. It may return earlier. */
  wait(ms: number): Promise<void>;
}

/** A timer of Node fires up to 1 ms early or late, so the last two milliseconds pass in turns of the event loop. */
const PRECISE_CLOCK: LoadClock = {
  now: () => performance.now(),
  wait: (ms) => (ms > 2 ? sleep(ms - 2) : nextTurn()),
};

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
 * Runs a load test. With a rate, no call starts before it is due. Its latency is measured from that time, so it includes
 * the time that the call waited for earlier calls.
 */
export async function load(
  caller: Pick<Caller, 'call'>,
  { concurrency, durationMs, perSecond }: LoadPlan,
  clock: LoadClock = PRECISE_CLOCK,
): Promise<LoadResult> {
  const outcomes = new Map<Outcome, number>();
  const latency = createHistogram({ lowest: 1_000, highest: 120e9, figures: 3 });
  const began = clock.now();
  const endsAt = began + durationMs;
  let scheduled = 0;

  /** The time when the next call is due. Undefined if there are no more calls. */
  function nextDue(): number | undefined {
    const now = clock.now();
    const due = perSecond === undefined ? now : began + (1000 * scheduled) / perSecond;
    scheduled += 1;
    return Math.max(due, now) < endsAt ? due : undefined;
  }

  async function callAgainAndAgain(): Promise<void> {
    for (let due = nextDue(); due !== undefined; due = nextDue()) {
      for (let early = due - clock.now(); early > 0; early = due - clock.now()) await clock.wait(early);
      const outcome = await caller.call();
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (outcome === 0) latency.record(Math.max(1_000, Math.round((clock.now() - due) * 1e6)));
    }
  }

  await Promise.all(Array.from({ length: concurrency }, callAgainAndAgain));
  return { milliseconds: clock.now() - began, outcomes, latency };
}
