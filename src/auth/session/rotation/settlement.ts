// Decides what becomes of a rotation whose outcome is not known: in the process that began it, because the response of the
// database was lost, and in the others, because it may still be set back.
import { setTimeout as sleep } from 'node:timers/promises';
import { isOver, type Clock, type Deadline } from '../../../platform/clock.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import type { RotationBatches } from './rotation-batches.ts';
import type { Session } from '../session.ts';
import type { SessionStore } from '../session-store.ts';

/** The row of the session as it was read after the attempt. */
export type StoredRotation =
  /** It is as before the rotation. A write that is still on its way may change it. */
  | 'previous'
  /** It has the next generation with the verifier that this rotation created. */
  | 'next'
  /** Another rotation has changed it, or it was deleted. This rotation can no longer happen. */
  | 'other'
  /** No server has answered. */
  | 'unknown';

export type SettlementDecision =
  /** The rotation happened: give the next token to the caller. */
  | 'won'
  /** The rotation did not and cannot happen: decide again on the stored state. */
  | 'lost'
  /** Write the same generation and verifier again. It changes nothing if the first write arrives after all. */
  | 'retry'
  /** The caller has been refused: set the row back to the previous generation, which the caller still holds. */
  | 'retract';

export function decideSettlement(stored: StoredRotation, isCallerWaiting: boolean): SettlementDecision {
  if (stored === 'other') return 'lost';
  if (!isCallerWaiting) return 'retract';
  return stored === 'next' ? 'won' : 'retry';
}

/** When a rotation is final although its process has not reported that, in milliseconds: the process was killed. */
export const ABANDONED_AFTER_MS = 60_000;
/** The same for a rotation of the previous release, which reports nothing. */
export const UNREPORTED_AFTER_MS = 1_000;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 400;

/** Whether a rotation can no longer be set back. */
export function isFinal(rotation: {
  readonly isSettled: boolean;
  /** Whether its process reports when it is settled. */
  readonly isReported: boolean;
  readonly ageMs: number;
}): boolean {
  const { isSettled, isReported, ageMs } = rotation;
  // A clock that differs by more must not keep a replay undecided.
  return isSettled || Math.abs(ageMs) >= (isReported ? ABANDONED_AFTER_MS : UNREPORTED_AFTER_MS);
}

interface UndecidedChecks {
  readonly rotations: { isRunning(selector: Buffer): boolean };
  readonly batches: Pick<RotationBatches, 'isSettled'>;
  readonly clock: Clock;
}

/** Returns the function SessionRotation.isUndecided. */
export function createIsUndecided({ rotations, ...state }: UndecidedChecks) {
  const isStaying = createIsStaying(state);
  return async (session: Session): Promise<boolean> =>
    rotations.isRunning(session.selector) || !(await isStaying(session));
}

function createIsStaying({ batches, clock }: Omit<UndecidedChecks, 'rotations'>) {
  return async ({ rotationBatch, refreshedAt }: Session): Promise<boolean> => {
    const isSettled = rotationBatch !== undefined && (await batches.isSettled(rotationBatch));
    return isFinal({ isSettled, isReported: rotationBatch !== undefined, ageMs: clock() - refreshedAt });
  };
}

/**
 * Returns a function that finds out whether a presented refresh token of the previous generation is a replay. It is not
 * if the process that issued the current generation sets it back, because its caller was refused. So this waits until
 * that process can no longer do so. Returns true for a replay, false if the session must be read again. Rejects with
 * DependencyUnavailableError at the deadline.
 */
export function createConfirmReplay(
  options: UndecidedChecks & {
    readonly sessions: Pick<SessionStore, 'findBySelector'>;
    readonly pauseFor?: (ms: number) => Promise<unknown>;
  },
) {
  const { sessions, rotations, pauseFor = sleep } = options;
  const isStaying = createIsStaying(options);

  return async (session: Session, deadline: Deadline): Promise<boolean> => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      if (rotations.isRunning(session.selector)) return false;
      const isStayingNow = await isStaying(session);
      // Read after that: the rotation may have been settled by setting it back.
      if (!isUnchanged(await sessions.findBySelector(session.selector), session)) return false;
      if (isStayingNow) return true;
      if (isOver(deadline)) throw new DependencyUnavailableError('an earlier renewal of the session may be set back');
      await pauseFor(pause);
    }
  };
}

function isUnchanged(stored: Session | undefined, session: Session): boolean {
  return (
    stored?.generation === session.generation &&
    stored.verifierHash.equals(session.verifierHash) &&
    stored.revokedAt === undefined
  );
}
