// Rotates sessions: decides whether a presented refresh token renews its session, writes the next generation, and finds out
// whether the write was committed. Files outside of this folder import only this one.
import { setTimeout as sleep } from 'node:timers/promises';
import { isOver, type Clock, type Deadline } from '../../../platform/clock.ts';
import type { BackgroundRetries } from '../../../platform/concurrency/background-retries.ts';
import { withTimeout } from '../../../platform/concurrency/with-timeout.ts';
import { hadNoEffect, isOutcomeUnknown } from '../../../platform/db/errors.ts';
import { latestWrite } from '../../../platform/db/limits.ts';
import type { Database } from '../../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import type { Tracer } from '../../../platform/tracing/tracer.ts';
import type { Renewal, Rotation, Session } from '../session.ts';
import type { SessionStore } from '../session-store.ts';
import type { RefreshToken, RotationMode } from '../transport/transport-policy.ts';
import { createRotationBatches, type RotationBatches, type RotationEnding } from './rotation-batches.ts';
import { createRotationStore, type RotationStore } from './rotation-store.ts';
import { createSettledRotationStore } from './settled-rotation-store.ts';
import { createConfirmReplay, createIsUndecided, decideSettlement, type StoredRotation } from './settlement.ts';

export { SETTLED_ROTATIONS_CLEANUP } from './settled-rotation-store.ts';

export type SessionRotation = ReturnType<typeof createSessionRotation>;

interface RotationRequest<R extends Renewed> {
  /** The session as it was read. */
  readonly session: Session;
  /** The presented token. */
  readonly token: RefreshToken;
  readonly mode: RotationMode;
  /** Creates the next token and the new times. Called if the token is accepted. Returns undefined if the account is refused. */
  renew(): Promise<R | undefined>;
}

export interface Renewed {
  readonly next: RefreshToken;
  readonly renewal: Renewal;
}

export type RotationOutcome<R extends Renewed> =
  /** The session is renewed. Its token is now `renewed.next`, unless the presented one stays valid. */
  | { readonly kind: 'won'; readonly renewed: R; readonly isTokenKept: boolean }
  /**
   * Another request changed the session first. Read it and rotate again. `waited`: nothing was tried, because a rotation of this
   * process had to end first.
   */
  | { readonly kind: 'lost'; readonly waited: boolean }
  | { readonly kind: 'refused'; readonly cause: 'revoked' | 'expired' | 'unknown' | 'not eligible' }
  /** The caller must revoke the session. */
  | { readonly kind: 'refused'; readonly cause: 'replayed'; readonly age: number };

const LOST = { kind: 'lost', waited: false } as const;
const WAITED = { kind: 'lost', waited: true } as const;

export function createSessionRotation(options: {
  readonly database: Database;
  readonly sessions: Pick<SessionStore, 'findBySelector'>;
  readonly retries: Pick<BackgroundRetries, 'run'>;
  readonly clock: Clock;
  readonly tracer: Tracer | undefined;
}) {
  const { database, sessions, retries, clock, tracer } = options;
  const store = createRotationStore(database, sessions, tracer);
  const batches = createRotationBatches({ store: createSettledRotationStore(database), retries, clock });
  const { findBySelector } = sessions;
  const rotations = createRunningRotations({ ...store, findBySelector }, retries, batches);
  const confirmReplay = createConfirmReplay({ sessions, rotations, batches, clock });

  return {
    /** Decides on a genuine refresh token of a session, and renews the session if the token is the current one. */
    async rotate<R extends Renewed>(
      { session, token, mode, renew }: RotationRequest<R>,
      deadline: Deadline,
    ): Promise<RotationOutcome<R>> {
      if (rotations.isRunning(session.selector)) {
        await rotations.settled(session.selector, deadline);
        return WAITED;
      }
      const current = token.generation === session.generation && token.verifierHash.equals(session.verifierHash);
      const decision = decideRotation(session, { generation: token.generation, current }, mode, clock());
      if (decision.kind === 'reject') return { kind: 'refused', cause: decision.cause };
      if (decision.kind === 'revoke-session') {
        const { age } = decision;
        return age === 1 && !(await confirmReplay(session, deadline))
          ? LOST
          : { kind: 'refused', cause: 'replayed', age };
      }
      const renewed = await renew();
      // A result, not an error: the refusals of all sessions take the same time.
      if (renewed === undefined) return { kind: 'refused', cause: 'not eligible' };
      const isTokenKept = decision.kind === 'keep';
      const isWon = isTokenKept
        ? await store.slide(session, renewed.renewal, deadline)
        : await rotations.advance(session, renewed.next, renewed.renewal, deadline);
      return isWon ? { kind: 'won', renewed, isTokenKept } : LOST;
    },
    /** Whether the current generation of a session may still be set back, so that a replay of the previous is undecided. */
    isUndecided: createIsUndecided({ rotations, batches, clock }),
    /** Lets other processes know which rotations have ended. */
    close: () => batches.close(),
  };
}

export interface PresentedGeneration {
  readonly generation: number;
  /** Whether its verifier is the session's current one. */
  readonly current: boolean;
}

type RotationDecision =
  /** Issue the next generation. */
  | { readonly kind: 'advance' }
  /** Reusable mode: the earlier token stays valid, and the idle window restarts. */
  | { readonly kind: 'keep' }
  /** A replay, `age` generations old: revoke the session. */
  | { readonly kind: 'revoke-session'; readonly age: number }
  | { readonly kind: 'reject'; readonly cause: 'revoked' | 'expired' | 'unknown' };

export function decideRotation(
  state: Pick<Session, 'generation' | 'revokedAt' | 'expiresAt'>,
  presented: PresentedGeneration,
  mode: RotationMode,
  now: number,
): RotationDecision {
  if (state.revokedAt !== undefined) return { kind: 'reject', cause: 'revoked' };
  if (state.expiresAt <= now) return { kind: 'reject', cause: 'expired' };
  if (presented.current) return { kind: 'advance' };
  const age = state.generation - presented.generation;
  // Genuine, but of a generation that was never stored. Either the database was restored to an earlier state, or a
  // request issued it and then lost a race.
  if (age <= 0) return { kind: 'reject', cause: 'unknown' };
  return mode === 'reusable' ? { kind: 'keep' } : { kind: 'revoke-session', age };
}

interface Settled {
  readonly decision: 'won' | 'lost' | 'retract';
  /** When no attempt can start on a server any more, Unix milliseconds. */
  readonly notBefore: number;
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 400;

/**
 * Creates the rotations of this process. The caller gets the next token only if the database has committed it. If the
 * caller is refused, the rotation is set back, because no client has received the next token.
 */
export function createRunningRotations(
  sessions: Pick<RotationStore, 'advance' | 'retract'> & Pick<SessionStore, 'findBySelector'>,
  retries: Pick<BackgroundRetries, 'run'>,
  batches: Pick<RotationBatches, 'join'>,
  pauseFor: (ms: number) => Promise<unknown> = sleep,
) {
  /** The end of each running rotation, by selector. */
  const running = new Map<string, Promise<void>>();

  /**
   * Advances a session. Returns false if another request changed it first. Rejects if the caller must be refused; the
   * session is then set back in the background if it was advanced.
   */
  async function advance(session: Session, next: RefreshToken, renewal: Renewal, deadline: Deadline): Promise<boolean> {
    const key = session.selector.toString('hex');
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
      const { decision, notBefore } = await settle(session, next, { ...renewal, batch: batch.id }, deadline);
      isWon = decision === 'won';
      if (decision !== 'retract') return isWon;
      retraction = retries.run(() => sessions.retract(session, next), notBefore);
      throw new DependencyUnavailableError('the session could not be renewed in time');
    } finally {
      if (retraction) void retraction.then((isDone) => end(isDone ? 'undone' : 'unknown'));
      else end(isWon ? 'won' : 'undone');
    }
  }

  async function settle(
    session: Session,
    next: RefreshToken,
    rotation: Rotation,
    deadline: Deadline,
  ): Promise<Settled> {
    let mayArriveLater = false;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      let stored: StoredRotation;
      try {
        if (await sessions.advance(session, next, rotation, deadline)) stored = 'next';
        else if (!mayArriveLater) stored = 'other';
        else stored = compare(await sessions.findBySelector(session.selector), session, next);
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
    /** Whether a rotation of the session is running or unsettled in this process. */
    isRunning: (selector: Buffer) => running.has(selector.toString('hex')),
    /**
     * Waits until no rotation of the session is running or unsettled in this process. Its row may show a generation that
     * no client has received until then. Rejects with DependencyUnavailableError at the deadline.
     */
    async settled(selector: Buffer, deadline: Deadline): Promise<void> {
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
