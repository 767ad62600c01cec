// The rotation schedule of signing keys. Each key signs from its start time until its successor's. Only the clock
// decides which key signs, so no action is needed at that time and all processes agree.

/** A key's place in the schedule; times are Unix milliseconds. */
export interface ScheduledKey {
  /** Greater than that of every earlier key. */
  readonly sequence: number;
  readonly signsFrom: number;
  /** Undefined until the key has a successor. */
  readonly verifiesUntil: number | undefined;
}

/** PUBLISHED keys do not sign yet. RETIRED keys only verify tokens that they have signed. */
export type SigningKeyState = 'PUBLISHED' | 'ACTIVE' | 'RETIRED';

/** How long caches may keep the key set, in milliseconds. The gateway sends it as max-age. */
export const KEY_SET_MAX_AGE_MS = 300_000;
/** Maximum age of a process's copy of the schedule before it is read again, in milliseconds. */
export const SCHEDULE_MAX_AGE_MS = 60_000;
/** Margin in milliseconds for clock differences between machines and for repeated requests. */
const MARGIN_MS = 60_000;
/**
 * Time from a key's publication to its first signature, in milliseconds. By then, no cache holds a key set without it.
 */
export const ACTIVATION_DELAY_MS = KEY_SET_MAX_AGE_MS + SCHEDULE_MAX_AGE_MS + MARGIN_MS;

/**
 * Returns the key that signs; undefined only for an empty schedule. The first key signs even if this machine's clock is
 * slow.
 */
export function activeSigningKey<Link extends ScheduledKey>(chain: readonly Link[], now: number): Link | undefined {
  return chain.findLast(({ signsFrom }) => signsFrom <= now) ?? chain[0];
}

export function stateAt(chain: readonly ScheduledKey[], { sequence }: ScheduledKey, now: number): SigningKeyState {
  const signer = activeSigningKey(chain, now)!.sequence;
  if (sequence === signer) return 'ACTIVE';
  return sequence > signer ? 'PUBLISHED' : 'RETIRED';
}

/** Whether tokens signed by the key are still accepted. */
export function verifiesAt({ verifiesUntil }: ScheduledKey, now: number): boolean {
  return verifiesUntil === undefined || now < verifiesUntil;
}

/**
 * Plans a new key's place in the schedule and the time until which the newest existing key verifies. The first key
 * signs at once.
 */
export function planRotation(newest: ScheduledKey | undefined, now: number, longestTokenMs: number) {
  return planKey(newest, newest ? Math.max(now + ACTIVATION_DELAY_MS, newest.signsFrom) : now, longestTokenMs);
}

/** Plans a new key that signs at once, because the one that signs is revoked. Caches may not have it yet. */
export function planReplacement(newest: ScheduledKey, now: number, longestTokenMs: number) {
  return planKey(newest, now, longestTokenMs);
}

function planKey(newest: ScheduledKey | undefined, signsFrom: number, longestTokenMs: number) {
  return {
    link: { sequence: (newest?.sequence ?? 0) + 1, signsFrom, verifiesUntil: undefined },
    verifiesUntil: signsFrom + longestTokenMs + MARGIN_MS,
  };
}
