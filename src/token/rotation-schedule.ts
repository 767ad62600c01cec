// Signing keys take turns: each signs from a time on, until its successor does. The clock alone says which one, so nothing has to
// happen at that time, and every process comes to the same result.

/** A key's place in the chain; times are Unix milliseconds. */
export interface ScheduledKey {
  /** Grows from key to key. */
  readonly sequence: number;
  readonly signsFrom: number;
  /** Undefined as long as it has no successor. */
  readonly verifiesUntil: number | undefined;
}

/** PUBLISHED keys wait to sign, RETIRED ones only verify what they have signed. */
export type SigningKeyState = 'PUBLISHED' | 'ACTIVE' | 'RETIRED';

/** How long the gateway lets caches keep the key set, in milliseconds. */
export const KEY_SET_MAX_AGE_MS = 300_000;
/** Older knowledge of the chain is renewed before it is used, in milliseconds. */
export const KNOWLEDGE_MAX_AGE_MS = 60_000;
/** Clocks of several machines differ, and some of them may have to ask twice. In milliseconds. */
const MARGIN_MS = 60_000;
/** From a key's publication to its first signature: by then no cache has a key set without it. In milliseconds. */
export const ACTIVATION_DELAY_MS = KEY_SET_MAX_AGE_MS + KNOWLEDGE_MAX_AGE_MS + MARGIN_MS;

/** The key that signs; undefined only in an empty chain. The first key signs even where this machine's clock is behind. */
export function activeSigningKey<Link extends ScheduledKey>(chain: readonly Link[], now: number): Link | undefined {
  return chain.findLast(({ signsFrom }) => signsFrom <= now) ?? chain[0];
}

export function stateAt(chain: readonly ScheduledKey[], { sequence }: ScheduledKey, now: number): SigningKeyState {
  const signer = activeSigningKey(chain, now)!.sequence;
  if (sequence === signer) return 'ACTIVE';
  return sequence > signer ? 'PUBLISHED' : 'RETIRED';
}

/** Whether tokens of the key count. */
export function verifiesAt({ verifiesUntil }: ScheduledKey, now: number): boolean {
  return verifiesUntil === undefined || now < verifiesUntil;
}

/** The place of a key that is made now, the first one signing at once, and until when the newest key verifies then. */
export function planRotation(newest: ScheduledKey | undefined, now: number, longestTokenMs: number) {
  const signsFrom = newest ? Math.max(now + ACTIVATION_DELAY_MS, newest.signsFrom) : now;
  return {
    link: { sequence: (newest?.sequence ?? 0) + 1, signsFrom, verifiesUntil: undefined },
    verifiesUntil: signsFrom + longestTokenMs + MARGIN_MS,
  };
}
