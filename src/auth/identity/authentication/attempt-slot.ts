// Attempt slots: one for each login attempt whose password is being evaluated. A column holds an account's open slots
// as concatenated text. All slots have the same length, so SQL can count them by length and remove one by its text.
import { randomBytes } from 'node:crypto';

/** `<end of its lifetime in Unix milliseconds, 13 digits>.<10 hexadecimal digits>;` */
const SLOT = /(\d{13})\.[0-9a-f]{10};/g;
export const SLOT_LENGTH = 25;

/** How many slots the column can hold. */
export const MAX_SLOTS = 40;

/**
 * Longer than the longest evaluation and its settlement. After this time, the slot of a crashed process no longer
 * counts.
 */
export const SLOT_LIFETIME_MS = 30_000;

/** Creates a unique slot. */
export function newAttemptSlot(now: number): string {
  return `${String(now + SLOT_LIFETIME_MS).padStart(13, '0')}.${randomBytes(5).toString('hex')};`;
}

/** Returns the slots of a column whose lifetime has ended. */
export function expiredSlots(column: string, now: number): string[] {
  return [...column.matchAll(SLOT)].filter(([, end]) => Number(end) <= now).map(([slot]) => slot);
}
