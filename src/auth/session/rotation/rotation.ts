// Decides what happens to a session when a genuine refresh token of it is presented. A pure function.

export type RotationMode = 'strict' | 'reusable';

/** The fields of a session that the decision needs. */
export interface RotationState {
  /** The current generation. */
  readonly generation: number;
  /** Unix milliseconds; undefined if not revoked. */
  readonly revokedAt: number | undefined;
  /** End of the idle window or of the absolute lifetime, whichever is first; Unix milliseconds. */
  readonly expiresAt: number;
}

export interface PresentedGeneration {
  readonly generation: number;
  /** Whether its verifier is the session's current one. */
  readonly current: boolean;
}

export type RotationDecision =
  /** Issue the next generation. */
  | { readonly kind: 'advance' }
  /** Reusable mode: the earlier token stays valid, and the idle window restarts. */
  | { readonly kind: 'keep' }
  /** A replay, `age` generations old: revoke the session. */
  | { readonly kind: 'revoke-family'; readonly age: number }
  | { readonly kind: 'reject'; readonly cause: 'revoked' | 'expired' | 'unknown' };

export function decideRotation(
  state: RotationState,
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
  return mode === 'reusable' ? { kind: 'keep' } : { kind: 'revoke-family', age };
}

/** Returns when a session ends if it is used now. The idle window restarts; the absolute end does not move. */
export function slidingExpiry(now: number, idleWindowMs: number, absoluteExpiresAt: number | undefined): number {
  return Math.min(now + idleWindowMs, absoluteExpiresAt ?? Infinity);
}
