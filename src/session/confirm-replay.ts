import { setTimeout as sleep } from 'node:timers/promises';
import { isOver, type Clock, type Deadline } from '../clock.ts';
import { DependencyUnavailableError } from '../errors.ts';
import { SETTLING_MS, type Rotations } from './rotate.ts';
import type { SessionFamily } from './session-family.ts';
import type { SessionStore } from './session-store.ts';

/**
 * Whether the current generation of a session stays, so that its previous refresh token is replayed. If another process
 * issued it less than SETTLING_MS ago, waits until that has passed: the rotation is set back if its caller was refused.
 * Returns false if the session must be read again. Rejects with DependencyUnavailableError at the deadline.
 */
export type ConfirmReplay = (family: SessionFamily, deadline: Deadline) => Promise<boolean>;

const PAUSE_MS = 100;

export function createConfirmReplay(options: {
  readonly sessions: Pick<SessionStore, 'findBySelector'>;
  readonly rotations: Pick<Rotations, 'stateOf'>;
  readonly clock: Clock;
  readonly pauseFor?: (ms: number) => Promise<unknown>;
}): ConfirmReplay {
  const { sessions, rotations, clock, pauseFor = sleep } = options;

  return async (family, deadline) => {
    const state = rotations.stateOf(family);
    if (state !== undefined) return state === 'won';
    const remaining = SETTLING_MS - Math.abs(clock() - family.refreshedAt);
    for (let waited = 0; waited < remaining; waited += PAUSE_MS) {
      await pauseFor(PAUSE_MS);
      if (isOver(deadline)) throw new DependencyUnavailableError('an earlier renewal of the session may be set back');
      const stored = await sessions.findBySelector(family.selector);
      if (stored?.generation !== family.generation || !stored.verifierHash.equals(family.verifierHash)) return false;
      if (stored.revokedAt !== undefined) return false;
    }
    return true;
  };
}
