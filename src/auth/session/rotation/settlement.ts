// Decides what becomes of a rotation whose response from the database was lost. A pure function.

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
