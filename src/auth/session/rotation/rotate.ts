// Applies a rotation and finds out what became of it. The caller gets the next token only if the database has committed
// it. If the caller is refused, the rotation is set back, because nobody has received the next token.
import { setTimeout as sleep } from 'node:timers/promises';
import { isOver, type Deadline } from '../../../platform/clock.ts';
import type { BackgroundRetries } from '../../../platform/concurrency/background-retries.ts';
import { withTimeout } from '../../../platform/concurrency/with-timeout.ts';
import { hadNoEffect, isOutcomeUnknown } from '../../../platform/db/errors.ts';
import { latestWrite } from '../../../platform/db/limits.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import type { RefreshToken } from '../transport/opaque-refresh-token.ts';
import type { RotationBatches, RotationEnding } from './rotation-batches.ts';
import type { Renewal, Rotation, SessionFamily } from '../session-family.ts';
import type { SessionStore } from '../session-store.ts';
import { decideSettlement, type StoredRotation } from './settlement.ts';

export interface Rotations {
  /**
   * Waits until no rotation of the session is running or unsettled in this process. Its row may show a generation that
   * nobody has received until then. Rejects with DependencyUnavailableError at the deadline.
   */
  settled(selector: Buffer, deadline: Deadline): Promise<void>;
  /**
   * Advances a session. Returns false if another request changed it first. Rejects if the caller must be refused; the
   * session is then set back in the background if it was advanced.
   */
  advance(family: SessionFamily, next: RefreshToken, renewal: Renewal, deadline: Deadline): Promise<boolean>;
  /** Whether a rotation of the session is running or unsettled in this process. */
  isRunning(selector: Buffer): boolean;
}

interface Settled {
  readonly decision: 'won' | 'lost' | 'retract';
  /** When no attempt can start on a server any more, Unix milliseconds. */
  readonly notBefore: number;
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

export function createRotations(
  sessions: Pick<SessionStore, 'advance' | 'retract' | 'findBySelector'>,
  retries: Pick<BackgroundRetries, 'run'>,
  batches: Pick<RotationBatches, 'join'>,
  pauseFor: (ms: number) => Promise<unknown> = sleep,
): Rotations {
  /** The end of each running rotation, by selector. */
  const running = new Map<string, Promise<void>>();

  async function advance(...[family, next, renewal, deadline]: Parameters<Rotations['advance']>): Promise<boolean> {
    const key = family.selector.toString('hex');
    if (running.has(key)) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    running.set(key, promise);
    const batch = batches.join();
    const end = (ending: RotationEnding) => {
      running.delete(key);
      batch.end(ending);
      resolve();
    };
    let isWon = false;
    let retraction: Promise<boolean> | undefined;
    try {
      const { decision, notBefore } = await settle(family, next, { ...renewal, batch: batch.id }, deadline);
      isWon = decision === 'won';
      if (decision !== 'retract') return isWon;
      retraction = retries.run(() => sessions.retract(family, next), notBefore);
      throw new DependencyUnavailableError('the session could not be renewed in time');
    } finally {
      if (retraction) void retraction.then((isDone) => end(isDone ? 'undone' : 'unknown'));
      else end(isWon ? 'won' : 'undone');
    }
  }

  async function settle(
    family: SessionFamily,
    next: RefreshToken,
    rotation: Rotation,
    deadline: Deadline,
  ): Promise<Settled> {
    let mayArriveLater = false;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      let stored: StoredRotation;
      try {
        if (await sessions.advance(family, next, rotation, deadline)) stored = 'next';
        else if (!mayArriveLater) stored = 'other';
        else stored = compare(await sessions.findBySelector(family.selector), family, next);
      } catch (error) {
        if (!mayArriveLater && !isOutcomeUnknown(error)) {
          // On a cluster, the loser of two rotations gets a deadlock.
          if (hadNoEffect(error) && error instanceof DependencyUnavailableError)
            return { decision: 'lost', notBefore: 0 };
          throw error;
        }
        mayArriveLater = true;
        stored = 'unknown';
      }
      const decision = decideSettlement(stored, !isOver(deadline));
      if (decision !== 'retry') return { decision, notBefore: stored === 'next' ? 0 : latestWrite(deadline) };
      await pauseFor(pause);
    }
  }

  return {
    advance,
    isRunning: (selector) => running.has(selector.toString('hex')),
    async settled(selector, deadline) {
      const key = selector.toString('hex');
      for (let end = running.get(key); end; end = running.get(key)) {
        await withTimeout(
          end,
          Math.max(deadline.at - Date.now(), 0),
          () => new DependencyUnavailableError('an earlier renewal of the session is not settled yet'),
        );
      }
    },
  };
}

function compare(stored: RefreshToken | undefined, previous: RefreshToken, next: RefreshToken): StoredRotation {
  const isAt = ({ generation, verifierHash }: RefreshToken) =>
    stored?.generation === generation && stored.verifierHash.equals(verifierHash);
  if (isAt(next)) return 'next';
  return isAt(previous) ? 'previous' : 'other';
}
