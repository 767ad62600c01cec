import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import {
  ABANDONED_AFTER_MS,
  createConfirmReplay,
  isFinal,
  UNREPORTED_AFTER_MS,
} from '../../src/auth/session/rotation/settlement.ts';
import type { Session } from '../../src/auth/session/session.ts';

const NOW = 1_000_000;
const SESSION = {
  selector: Buffer.from('selector'),
  generation: 2,
  verifierHash: Buffer.from('current'),
  rotationBatch: 'batch',
  refreshedAt: NOW,
  revokedAt: undefined,
} as Session;
const UNREPORTED = { ...SESSION, rotationBatch: undefined };
const PREVIOUS = { ...SESSION, generation: 1, verifierHash: Buffer.from('previous') };
const NEVER = 100;

/** Confirms the replay while the row changes to `rows`, one per query. The last row stays. */
function confirm(options: {
  readonly session?: Session;
  readonly isRunning?: boolean;
  /** The number of queries for the batch until it is settled. */
  readonly settledAfter?: number;
  readonly rows?: readonly (Session | undefined)[];
  readonly age?: number;
  readonly pauses?: number;
}) {
  const { session = SESSION, isRunning = false, settledAfter = 0, age = 0, pauses = 20 } = options;
  const { rows = [session] } = options;
  let asked = 0;
  let read = 0;
  let waited = 0;
  let left = pauses;
  const confirmReplay = createConfirmReplay({
    sessions: { findBySelector: async () => rows[Math.min(read++, rows.length - 1)] },
    rotations: { isRunning: () => isRunning },
    batches: { isSettled: async () => asked++ >= settledAfter },
    clock: () => NOW + age + waited,
    pauseFor: async (ms) => void (waited += ms),
  });
  const deadline = { at: Infinity, signal: new AbortController().signal, isAborted: () => left-- <= 0 };
  return { confirmed: confirmReplay(session, deadline), waited: () => waited };
}

describe('a replay of the previous refresh token', () => {
  it.each([
    ['the rotation is settled', {}, true, 0],
    ['the rotation is settled soon', { settledAfter: 2 }, true, 150],
    ['a rotation runs in this process', { isRunning: true }, false, 0],
    ['the process of the rotation was killed long ago', { settledAfter: NEVER, age: ABANDONED_AFTER_MS }, true, 0],
    ['the rotation is set back before it is reported as settled', { rows: [PREVIOUS] }, false, 0],
    ['the rotation is set back later', { settledAfter: NEVER, rows: [SESSION, SESSION, PREVIOUS] }, false, 150],
    ['the session is revoked', { settledAfter: NEVER, rows: [SESSION, { ...SESSION, revokedAt: NOW }] }, false, 50],
    ['the session is deleted', { settledAfter: NEVER, rows: [undefined] }, false, 0],
    ['the previous release has issued it just now', { session: UNREPORTED }, true, 1_150],
    ['the previous release issued it', { session: UNREPORTED, age: UNREPORTED_AFTER_MS }, true, 0],
  ])('%s', async (_name, options, expected, waitedMs) => {
    const { confirmed, waited } = confirm(options);
    expect([await confirmed, waited()]).toEqual([expected, waitedMs]);
  });

  it.each([
    ['a process that may still set it back', {}],
    ['a killed process, until it is abandoned', { age: ABANDONED_AFTER_MS - 2_000 }],
    ['a process whose clock is ahead', { age: 2_000 - ABANDONED_AFTER_MS }],
  ])('is unavailable at the deadline: %s', async (_name, options) => {
    const { confirmed } = confirm({ ...options, settledAfter: NEVER, pauses: 4 });
    await expect(confirmed).rejects.toBeInstanceOf(DependencyUnavailableError);
  });
});

describe('the decision', () => {
  it('is final once settled, and stays final with time', () => {
    const rotation = fc.record({ isSettled: fc.boolean(), isReported: fc.boolean(), ageMs: fc.nat() });
    fc.assert(
      fc.property(rotation, fc.nat(), (before, laterMs) => {
        if (before.isSettled) expect(isFinal(before)).toBe(true);
        if (isFinal(before)) expect(isFinal({ ...before, ageMs: before.ageMs + laterMs })).toBe(true);
      }),
    );
  });

  it.each([
    [true, ABANDONED_AFTER_MS - 1, false],
    [true, ABANDONED_AFTER_MS, true],
    [true, 1 - ABANDONED_AFTER_MS, false],
    [true, -ABANDONED_AFTER_MS, true],
    [false, UNREPORTED_AFTER_MS - 1, false],
    [false, UNREPORTED_AFTER_MS, true],
    [false, -UNREPORTED_AFTER_MS, true],
  ])('for an unsettled rotation, reported %s, %i ms old, is %s', (isReported, ageMs, expected) => {
    expect(isFinal({ isSettled: false, isReported, ageMs })).toBe(expected);
  });
});
