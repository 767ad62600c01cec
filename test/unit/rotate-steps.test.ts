// What a rotation reports, when it may be set back, and how long it waits between its attempts.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { latestWrite } from '../../src/platform/db/limits.ts';
import { createRunningRotations } from '../../src/auth/session/rotation/rotate.ts';
import type { RotationEnding } from '../../src/auth/session/rotation/rotation-batches.ts';
import { createModel, deadlineAfter, NEXT, PREVIOUS, SELECTOR, token, type Fault } from '../support/rotation-model.ts';

// Limits of waits, which only the test advances.
beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['Date', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const RENEWAL = { origin: undefined, now: 0, expiresAt: 1, accessExpiresAt: 1 };

/** Rotations over a model, and what their surroundings see. A session is set back when `gate` opens. */
function observed(faults: readonly Fault[], sessions: Partial<ReturnType<typeof createModel>['sessions']> = {}) {
  const model = createModel(faults);
  const seen = {
    attempts: 0,
    isGivenUp: false,
    pauses: [] as number[],
    notBefore: [] as number[],
    ended: [] as RotationEnding[],
  };
  const gate = Promise.withResolvers<void>();
  const rotations = createRunningRotations(
    {
      ...model.sessions,
      advance: (session, next, rotation) => {
        seen.attempts += 1;
        return model.sessions.advance(session, next, rotation);
      },
      ...sessions,
    },
    {
      run(work, notBefore) {
        seen.notBefore.push(notBefore);
        return gate.promise.then(work).then(() => !seen.isGivenUp);
      },
    },
    { join: () => ({ id: 'batch', end: (ending) => void seen.ended.push(ending) }) },
    async (ms) => void seen.pauses.push(ms),
  );
  const advance = (checks: number, next = NEXT, at = Infinity) =>
    rotations.advance(PREVIOUS, next, RENEWAL, { ...deadlineAfter(checks), at });
  return { model, seen, gate, rotations, advance };
}

it('is running until it has ended, for its own session only', async () => {
  const { rotations, advance, seen } = observed([]);
  const advancing = advance(9);
  expect([rotations.isRunning(SELECTOR), rotations.isRunning(Buffer.from('another'))]).toEqual([true, false]);
  expect([await advancing, rotations.isRunning(SELECTOR), seen.ended]).toEqual([true, false, ['won']]);
});

it('is running until it is set back, and is no winner', async () => {
  const { rotations, advance, seen, gate } = observed([]);
  await expect(advance(0)).rejects.toThrow('in time');
  expect([rotations.isRunning(SELECTOR), seen.ended]).toEqual([true, []]);
  gate.resolve();
  await rotations.settled(SELECTOR, { ...deadlineAfter(9), at: 5_000 });
  expect([rotations.isRunning(SELECTOR), seen.ended]).toEqual([false, ['undone']]);
});

it('has an unknown end if setting it back was given up', async () => {
  const { rotations, advance, seen, gate } = observed([]);
  seen.isGivenUp = true;
  await expect(advance(0)).rejects.toThrow('in time');
  gate.resolve();
  await rotations.settled(SELECTOR, { ...deadlineAfter(9), at: 5_000 });
  expect([rotations.isRunning(SELECTOR), seen.ended]).toEqual([false, ['unknown']]);
});

it('does not begin while another one of the session runs', async () => {
  const { advance, seen } = observed([]);
  expect(await Promise.all([advance(9), advance(9, token(2, 'second'))])).toEqual([true, false]);
  expect(seen).toMatchObject({ attempts: 1, ended: ['won'] });
});

it('is set back at once if it was confirmed, otherwise when its last attempt can no longer begin', async () => {
  const at = 100;
  const confirmed = observed([]);
  await expect(confirmed.advance(0, NEXT, at)).rejects.toThrow('in time');
  expect(confirmed.seen.notBefore).toEqual([0]);
  const unknown = observed(['unanswered', 'lost']);
  await expect(unknown.advance(1, NEXT, at)).rejects.toThrow('in time');
  expect(unknown.seen.notBefore).toEqual([latestWrite({ at })]);
});

it('pauses twice as long each time, up to 400 ms', async () => {
  const { advance, seen } = observed(Array<Fault>(7).fill('lost'));
  expect(await advance(99)).toBe(true);
  expect(seen.pauses).toEqual([25, 50, 100, 200, 400, 400, 400]);
});

it('is lost without a further attempt if another request was faster', async () => {
  const overtaken = observed([]);
  overtaken.model.write(token(2, 'other'));
  expect([await overtaken.advance(9), overtaken.seen.attempts, overtaken.seen.ended]).toEqual([false, 1, ['undone']]);
  const deadlocked = observed(['deadlock']);
  expect([await deadlocked.advance(9), deadlocked.seen.attempts, deadlocked.seen.pauses]).toEqual([false, 1, []]);
});

it.each([
  ['was deleted', undefined],
  ['has another generation with the same verifier', { ...NEXT, generation: NEXT.generation + 1 }],
])('is lost after a lost response if the session %s', async (_what, stored) => {
  const { advance, model } = observed(['lost'], { findBySelector: async () => stored as never });
  const advancing = advance(9);
  model.write(token(3, 'other'));
  expect(await advancing).toBe(false);
});
