// The states of signing keys by time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  KEY_SET_MAX_AGE_MS,
  SCHEDULE_MAX_AGE_MS,
  ACTIVATION_DELAY_MS,
  activeSigningKey,
  stateAt,
  planRotation,
  verifiesAt,
  type ScheduledKey,
} from '../../src/auth/keys/rotation-schedule.ts';

const T0 = 1_800_000_000_000;
const TTL_MS = 900_000;

/** A chain whose keys were made at these times. */
function chainOf(...times: readonly number[]): ScheduledKey[] {
  const chain: ScheduledKey[] = [];
  for (const time of times) {
    const newest = chain.at(-1);
    const { link, verifiesUntil } = planRotation(newest, time, TTL_MS);
    if (newest) chain[chain.length - 1] = { ...newest, verifiesUntil };
    chain.push(link);
  }
  return chain;
}

const statesAt = (chain: readonly ScheduledKey[], now: number) => chain.map((key) => stateAt(chain, key, now));

describe('the rotation schedule', () => {
  it('begins with a key that signs at once, also if a clock is behind', () => {
    const chain = chainOf(T0);
    expect(chain).toEqual([{ sequence: 1, signsFrom: T0, verifiesUntil: undefined }]);
    for (const now of [T0 - 5_000, T0, T0 + 1e12]) {
      expect(activeSigningKey(chain, now)).toBe(chain[0]);
      expect(statesAt(chain, now)).toEqual(['ACTIVE']);
      expect(verifiesAt(chain[0]!, now)).toBe(true);
    }
    expect(activeSigningKey([], T0)).toBeUndefined();
  });

  it('activates each key at its time, to the millisecond', () => {
    const made = T0 + 1e9;
    const chain = chainOf(T0, made);
    const signsFrom = made + ACTIVATION_DELAY_MS;
    expect(statesAt(chain, signsFrom - 1)).toEqual(['ACTIVE', 'PUBLISHED']);
    expect(statesAt(chain, signsFrom)).toEqual(['RETIRED', 'ACTIVE']);
    const last = chain[0]!.verifiesUntil!;
    expect(verifiesAt(chain[0]!, last - 1)).toBe(true);
    expect(verifiesAt(chain[0]!, last)).toBe(false);
    expect(verifiesAt(chain[1]!, last)).toBe(true);
  });

  it('never activates a key before an earlier pending one', () => {
    for (const later of [1, -30_000]) {
      const made = T0 + 1e9;
      const chain = chainOf(T0, made, made + later);
      const times = chain.map(({ signsFrom }) => signsFrom);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(activeSigningKey(chain, made + ACTIVATION_DELAY_MS + 1)).toBe(chain[2]);
    }
  });

  it('publishes a key before it signs for longer than caches and processes may lack it', () => {
    expect(ACTIVATION_DELAY_MS).toBeGreaterThanOrEqual(KEY_SET_MAX_AGE_MS + SCHEDULE_MAX_AGE_MS + 30_000);
  });

  it('verifies by every key until its last token has expired, for any rotation times', () => {
    const waits = fc.array(fc.integer({ min: 0, max: 3 * ACTIVATION_DELAY_MS }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(waits, fc.integer({ min: 0, max: 30 * ACTIVATION_DELAY_MS }), (gaps, after) => {
        let time = T0;
        const chain = chainOf(time, ...gaps.map((gap) => (time += gap)));
        const signer = activeSigningKey(chain, T0 + after)!;
        expect(verifiesAt(signer, T0 + after + TTL_MS)).toBe(true);
        expect(statesAt(chain, T0 + after).filter((state) => state === 'ACTIVE')).toHaveLength(1);
      }),
    );
  });
});
