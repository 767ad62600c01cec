// The outcomes of login attempts: writes that must happen even if the caller disconnects or its deadline passes. An evaluated password is
// always counted and audited.
import type { AuditContext } from '../../audit/trail/audit-log.ts';
import type { Clock } from '../../../platform/clock.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import { sleep as realSleep, type Sleep } from '../../../platform/timing.ts';

/**
 * A write with its own deadline. It may run again if its outcome is unknown, so repeated runs must have no further
 * effect.
 */
export type OutcomeWrite<T> = (context: AuditContext, isRepeated: boolean) => Promise<T>;

export type OutcomeRecorder = ReturnType<typeof createOutcomeRecorder>;

/** Much shorter than the lifetime of an attempt slot, so that the slot stays open while its write is retried. */
const RECORDING_LIMIT_MS = 12_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

/** @param options.clock Default: the machine's clock, as for all deadlines. */
export function createOutcomeRecorder(options: { readonly clock?: Clock; readonly sleep?: Sleep } = {}) {
  const { clock = Date.now, sleep = realSleep } = options;
  const open = new Set<Promise<unknown>>();
  let stopping = false;

  /** Makes `recorded` wait for this work too. */
  function track<T>(work: Promise<T>): Promise<T> {
    open.add(work);
    const end = () => void open.delete(work);
    work.then(end, end);
    return work;
  }

  async function record<T>(context: AuditContext, write: OutcomeWrite<T>): Promise<T> {
    const at = clock() + RECORDING_LIMIT_MS;
    const own = detached(context, at);
    for (let pause = FIRST_PAUSE_MS, isRepeated = false; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await write(own, isRepeated);
      } catch (error) {
        if (stopping || !(error instanceof DependencyUnavailableError) || clock() + pause >= at) {
          context.log.error({ err: error }, 'login attempt could not be recorded');
          throw error;
        }
      }
      isRepeated = true;
      await sleep(pause);
    }
  }

  return {
    track,
    /** Runs a write and retries while the database is unavailable. Rejects when its time limit has passed. */
    record: <T>(context: AuditContext, write: OutcomeWrite<T>) => track(record(context, write)),
    /** Runs a write in the background. */
    recordLater(context: AuditContext, write: OutcomeWrite<unknown>): void {
      track(record(context, write)).catch(() => {});
    },
    /** Waits until all work and all writes have ended. After this call, nothing is retried. */
    async recorded() {
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
