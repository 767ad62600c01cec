import { describe, expect, it } from 'vitest';
import { DependencyUnavailableError } from '../../src/errors.ts';
import { createConfirmReplay } from '../../src/session/confirm-replay.ts';
import { SETTLING_MS, type Rotations } from '../../src/session/rotate.ts';
import type { SessionFamily } from '../../src/session/session-family.ts';

const NOW = 1_000_000;
const FAMILY = {
  selector: Buffer.from('selector'),
  generation: 2,
  verifierHash: Buffer.from('current'),
  refreshedAt: NOW,
  revokedAt: undefined,
} as SessionFamily;
const PREVIOUS = { ...FAMILY, generation: 1, verifierHash: Buffer.from('previous') };
const deadline = { at: Infinity, signal: new AbortController().signal };

/** Confirms the replay while the row changes to `rows`, one per pause. The last row stays. */
function confirm(options: {
  readonly state?: ReturnType<Rotations['stateOf']>;
  readonly rows?: readonly (SessionFamily | undefined)[];
  readonly age?: number;
  readonly isOver?: boolean;
}) {
  const { state, rows = [FAMILY], age = 0, isOver = false } = options;
  const waits: number[] = [];
  const confirmReplay = createConfirmReplay({
    sessions: { findBySelector: async () => rows[Math.min(waits.length, rows.length) - 1] },
    rotations: { stateOf: () => state },
    clock: () => NOW + age,
    pauseFor: async (ms) => void waits.push(ms),
  });
  const confirmed = confirmReplay(FAMILY, { ...deadline, isAborted: () => isOver });
  const waited = () => waits.reduce((sum, ms) => sum + ms, 0);
  return { confirmed, waited };
}

describe('a replay of the previous refresh token', () => {
  it.each([
    ['this process gave the current token to its caller', { state: 'won' as const }, true, 0],
    ['a rotation runs in this process', { state: 'running' as const }, false, 0],
    ['the current token is older than another process can need', { age: SETTLING_MS }, true, 0],
    ['another process issued the current token, which stays', {}, true, SETTLING_MS],
    ['another process sets its rotation back', { rows: [FAMILY, PREVIOUS] }, false, 200],
    ['another process revokes the session', { rows: [{ ...FAMILY, revokedAt: NOW }] }, false, 100],
    ['the session is deleted', { rows: [undefined] }, false, 100],
  ])('%s', async (_name, options, expected, waitedMs) => {
    const { confirmed, waited } = confirm(options);
    expect([await confirmed, waited()]).toEqual([expected, waitedMs]);
  });

  it('is unavailable at the deadline', async () => {
    await expect(confirm({ isOver: true }).confirmed).rejects.toBeInstanceOf(DependencyUnavailableError);
  });
});
