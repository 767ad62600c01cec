// Writes that must happen whatever became of the caller who caused them: a password that was evaluated is counted and audited
// although its caller went away or its deadline passed.
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditContext } from '../../audit/audit-log.ts';
import { DependencyUnavailableError } from '../../errors.ts';

/**
 * A write with a deadline of its own. It may run again after an outcome that is not known, so that it must not have its
 * effect twice.
 */
export type Settlement<T> = (context: AuditContext, isRepeated: boolean) => Promise<T>;

export interface Settlements {
  /** Runs a settlement, again and again while the database does not answer. Rejects when its time has passed. */
  settle<T>(context: AuditContext, settlement: Settlement<T>): Promise<T>;
  /** The same, for which nobody waits. */
  settleLater(context: AuditContext, settlement: Settlement<unknown>): void;
  /** Counts this work among those that `settled` waits for. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Waits until all work and all settlements have ended. From then on nothing is repeated. */
  settled(): Promise<void>;
}

/** Much shorter than the lifetime of an attempt slot, so that a slot is open as long as its settlement is tried. */
const SETTLEMENT_LIMIT_MS = 12_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

export function createSettlements(): Settlements {
  const open = new Set<Promise<unknown>>();
  let stopping = false;

  function track<T>(work: Promise<T>): Promise<T> {
    open.add(work);
    const end = () => void open.delete(work);
    work.then(end, end);
    return work;
  }

  async function settle<T>(context: AuditContext, settlement: Settlement<T>): Promise<T> {
    const at = Date.now() + SETTLEMENT_LIMIT_MS;
    const own = detached(context, at);
    for (let pause = FIRST_PAUSE_MS, isRepeated = false; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await settlement(own, isRepeated);
      } catch (error) {
        if (stopping || !(error instanceof DependencyUnavailableError) || Date.now() + pause >= at) {
          context.log.error({ err: error }, 'a login attempt could not be settled');
          throw error;
        }
      }
      isRepeated = true;
      await delay(pause);
    }
  }

  return {
    track,
    settle: (context, settlement) => track(settle(context, settlement)),
    settleLater(context, settlement) {
      track(settle(context, settlement)).catch(() => {});
    },
    async settled() {
      stopping = true;
      while (open.size > 0) await Promise.allSettled(open);
    },
  };
}

/** The context without its caller's deadline and cancellation. */
function detached(context: AuditContext, at: number): AuditContext {
  return {
    requestId: context.requestId,
    clientAddress: context.clientAddress,
    get log() {
      return context.log;
    },
    deadline: { at, signal: new AbortController().signal },
  };
}
