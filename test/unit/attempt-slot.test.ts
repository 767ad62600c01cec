import { describe, expect, it } from 'vitest';
import {
  expiredSlots,
  MAX_SLOTS,
  newAttemptSlot,
  SLOT_LENGTH,
  SLOT_LIFETIME_MS,
} from '../../src/auth/identity/authentication/account-lock.ts';

const NOW = 1_790_000_000_000;

describe('newAttemptSlot', () => {
  it('contains the end of its lifetime in a text of fixed length', () => {
    expect(newAttemptSlot(NOW)).toMatch(new RegExp(`^${NOW + SLOT_LIFETIME_MS}\\.[0-9a-f]{10};$`));
    expect(newAttemptSlot(0)).toMatch(/^0000000030000\.[0-9a-f]{10};$/);
    expect(newAttemptSlot(NOW)).toHaveLength(SLOT_LENGTH);
  });

  it('returns another slot each time', () => {
    const slots = Array.from({ length: 100 }, () => newAttemptSlot(NOW));
    expect(new Set(slots).size).toBe(100);
  });

  it('is short enough for all slots in the column of 1,000 characters', () => {
    expect(MAX_SLOTS * SLOT_LENGTH).toBe(1_000);
  });
});

describe('expiredSlots', () => {
  it('returns the slots whose lifetime has ended', () => {
    const [old, ending, open] = [newAttemptSlot(NOW - 1), newAttemptSlot(NOW), newAttemptSlot(NOW + 1)];
    const now = NOW + SLOT_LIFETIME_MS;
    expect(expiredSlots(`${open}${old}${ending}`, now)).toEqual([old, ending]);
    expect(expiredSlots(`${old}${ending}${open}`, now - 2)).toEqual([]);
  });

  it('returns nothing for a column without slots', () => {
    expect(expiredSlots('', NOW)).toEqual([]);
    expect(expiredSlots('1.a;', NOW)).toEqual([]);
  });
});
