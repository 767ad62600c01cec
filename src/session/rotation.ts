// What becomes of a session family when a genuine refresh credential of it is presented: a pure decision.

export type RotationMode = 'strict' | 'reusable';

/** A family as far as the decision needs it. */
export interface RotationState {
  /** The current generation. */
  readonly generation: number;
  /** Unix milliseconds; undefined while it lives. */
  readonly revokedAt: number | undefined;
  /** End of the idle window or of the absolute lifetime, whichever is first; Unix milliseconds. */
  readonly expiresAt: number;
}

export interface PresentedCredential {
  readonly generation: number;
  /** Whether its verifier is the current one. */
  readonly current: boolean;
}

export type RotationDecision =
  /** Issue the next generation. */
  | { readonly kind: 'advance' }
  /** Reusable mode: the earlier credential stays valid and slides the window. */
  | { readonly kind: 'keep' }
  /** A replay, `age` generations old: revoke the whole family. */
  | { readonly kind: 'revoke-family'; readonly age: number }
  | { readonly kind: 'reject'; readonly cause: 'revoked' | 'expired' | 'unknown' };

export function decideRotation(
  state: RotationState,
  presented: PresentedCredential,
  mode: RotationMode,
  now: number,
): RotationDecision {
  if (state.revokedAt !== undefined) return { kind: 'reject', cause: 'revoked' };
  if (state.expiresAt <= now) return { kind: 'reject', cause: 'expired' };
  if (presented.current) return { kind: 'advance' };
  const age = state.generation - presented.generation;
  // Genuine, but of a generation that the family has not given out: the database was set back, or a lost race's draft.
  if (age <= 0) return { kind: 'reject', cause: 'unknown' };
  return mode === 'reusable' ? { kind: 'keep' } : { kind: 'revoke-family', age };
}

/** When a family ends that is used now: the idle window slides, the absolute end does not. */
export function slidingExpiry(now: number, idleWindowMs: number, absoluteExpiresAt: number | undefined): number {
  return Math.min(now + idleWindowMs, absoluteExpiresAt ?? Infinity);
}
