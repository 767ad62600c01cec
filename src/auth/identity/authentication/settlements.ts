// Settlements: writes that must happen even if the caller disconnects or its deadline passes. An evaluated password is
// always counted and audited.
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditContext } from '../../audit/audit-log.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';

/**
 * A write with its own deadline. It may run again if its outcome is unknown, so repeated runs must have no further
 * effect.
 */
export type Settlement<T> = (context: AuditContext, isRepeated: boolean) => Promise<T>;

export interface Settlements {
  /**
   * Runs a settlement and retries while the database is unavailable. Rejects when the settlement's time limit has
   * passed.
   */
  settle<T>(context: AuditContext, settlement: Settlement<T>): Promise<T>;
  /** Runs a settlement in the background. */
  settleLater(context: AuditContext, settlement: Settlement<unknown>): void;
  /** Makes `settled` wait for this work too. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Waits until all work and all settlements have ended. After this call, nothing is retried. */
  settled(): Promise<void>;
}

/** Much shorter than the lifetime of an attempt slot, so that the slot stays open while its settlement is retried. */
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
          context.log.error({ err: error }, 'login attempt could not be recorded');
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
