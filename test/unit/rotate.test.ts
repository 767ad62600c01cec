// Rotations whose responses are lost, over a model of the database.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Deadline } from '../../src/platform/clock.ts';
import { createConfirmReplay } from '../../src/auth/session/rotation/settlement.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { createRunningRotations } from '../../src/auth/session/rotation/rotate.ts';
import { createRotationBatches, type RotationBatches } from '../../src/auth/session/rotation/rotation-batches.ts';
import { decideSettlement } from '../../src/auth/session/rotation/settlement.ts';
import {
  createModel,
  deadlineAfter,
  FAULTS,
  nextTurn,
  NEXT,
  PREVIOUS,
  SELECTOR,
  token,
} from '../support/rotation-model.ts';
import { ROUNDS } from '../support/rounds.ts';

// Limits of waits, which only the test advances.
beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['Date', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const RENEWAL = { origin: undefined, now: 0, expiresAt: 1, accessExpiresAt: 1 };

/** Batches of one process. `report` does the work of an interval. */
function createBatches(stored = new Set<string>()) {
  const batches = createRotationBatches({
    store: { add: async (id) => void stored.add(id), has: async (id) => stored.has(id) },
    retries: { run: async (work) => (await work(), true) },
    clock: () => 0,
  });
  void batches.close();
  return { ...batches, report: batches.close };
}

async function rotateOver(
  model: ReturnType<typeof createModel>,
  deadline: Deadline,
  batches: Pick<RotationBatches, 'join'> = createBatches(),
  turnsToRetract = 0,
) {
  const retractions: Promise<boolean>[] = [];
  const rotations = createRunningRotations(
    model.sessions,
    {
      run(work) {
        const run = async () => {
          for (let turn = 0; turn < turnsToRetract; turn += 1) await nextTurn();
          for (;;) {
            try {
              return (await work(), true);
            } catch (error) {
              if (!(error instanceof DependencyUnavailableError)) throw error;
            }
          }
        };
        // It begins when unguarded statements are refused.
        model.deadlinePasses();
        const running = run();
        retractions.push(running);
        return running;
      },
    },
    batches,
    nextTurn,
  );
  const outcome = await rotations.advance(PREVIOUS, NEXT, RENEWAL, deadline).catch((error: unknown) => error);
  return { rotations, outcome, retractions };
}

describe('a rotation with lost responses', () => {
  it('is won, lost or set back, and stays so after late writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(FAULTS, { maxLength: 8 }),
        fc.nat({ max: 5 }),
        fc.boolean(),
        async (faults, checks, early) => {
          const model = createModel(faults);
          const { outcome, retractions, rotations } = await rotateOver(model, deadlineAfter(checks));
          if (early) model.arrive();
          await Promise.all(retractions);
          await rotations.settled(SELECTOR, deadlineAfter(0));
          model.arrive();
          if (outcome === true) expect(model.isAt(NEXT)).toBe(true);
          else {
            expect(outcome === false || outcome instanceof DependencyUnavailableError).toBe(true);
            expect(model.isAt(PREVIOUS)).toBe(true);
          }
        },
      ),
      { numRuns: 500 * ROUNDS },
    );
  });

  it('is won if a later query confirms a lost response', async () => {
    const model = createModel(['unanswered']);
    const { outcome, retractions } = await rotateOver(model, deadlineAfter(10));
    expect([outcome, retractions.length]).toEqual([true, 0]);
  });

  it('is set back if its caller has disconnected, also with a response', async () => {
    const model = createModel([]);
    const { outcome, retractions } = await rotateOver(model, deadlineAfter(0));
    expect(outcome).toBeInstanceOf(DependencyUnavailableError);
    await Promise.all(retractions);
    expect(model.isAt(PREVIOUS)).toBe(true);
  });

  it('does not change the rotation of another request', async () => {
    const model = createModel(['lost']);
    const other = token(2, 'other');
    const advancing = rotateOver(model, deadlineAfter(10));
    model.write(other);
    expect((await advancing).outcome).toBe(false);
    expect(model.isAt(other)).toBe(true);
  });

  it('returns an outage to further requests until it is settled', async () => {
    const model = createModel(['unanswered']);
    const gate = Promise.withResolvers<void>();
    const rotations = createRunningRotations(
      model.sessions,
      { run: (work) => gate.promise.then(work).then(() => true) },
      createBatches(),
      nextTurn,
    );
    await expect(rotations.advance(PREVIOUS, NEXT, RENEWAL, deadlineAfter(0))).rejects.toThrow('in time');
    const shortly = { at: 20, signal: new AbortController().signal };
    const waiting = expect(rotations.settled(SELECTOR, shortly)).rejects.toThrow('not settled yet');
    await vi.advanceTimersByTimeAsync(20);
    await waiting;
    expect(await rotations.advance(PREVIOUS, token(2, 'second'), RENEWAL, deadlineAfter(9))).toBe(false);
    gate.resolve();
    await rotations.settled(SELECTOR, { ...shortly, at: 5_000 });
    expect(model.isAt(PREVIOUS)).toBe(true);
  });

  it('is rejected at once if nothing was sent', async () => {
    const model = createModel(['not sent']);
    const { outcome, retractions } = await rotateOver(model, deadlineAfter(10));
    expect(outcome).toBeInstanceOf(DependencyUnavailableError);
    expect(retractions).toEqual([]);
  });
});

describe('another process that gets the previous token', () => {
  const TURNS = fc.nat({ max: 4 });

  it('waits until the rotation is settled, and never takes one that is set back for a replay', async () => {
    const verdicts = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(FAULTS, { maxLength: 8 }),
        fc.nat({ max: 5 }),
        fc.record({ retracting: TURNS, reading: TURNS, arriving: TURNS }),
        async (faults, checks, turns) => {
          const model = createModel(faults);
          const stored = new Set<string>();
          const own = createBatches(stored);
          let turn = 0;
          const pauseFor = async () => {
            await nextTurn();
            if (turn++ === turns.arriving) model.arrive();
            await own.report();
          };
          const confirmReplay = createConfirmReplay({
            sessions: { findBySelector: async () => model.row() },
            rotations: { isRunning: () => false },
            batches: createBatches(stored),
            clock: () => 0,
            pauseFor,
          });
          /** Decides as a refresh does, until the session is as before or the token is a replay. */
          const judge = async () => {
            for (;;) {
              const session = { ...model.row(), refreshedAt: 0 };
              if (session.generation === PREVIOUS.generation) return 'current';
              for (let i = 0; i < turns.reading; i += 1) await pauseFor();
              if (await confirmReplay(session, deadlineAfter(Infinity))) return 'replay';
            }
          };
          // A session of another client, in the same batch.
          own.join().end('won');
          const rotating = rotateOver(model, deadlineAfter(checks), own, turns.retracting);
          while (model.row().generation === PREVIOUS.generation && turn < 5) await pauseFor();
          const verdict = await judge();
          const { outcome } = await rotating;
          verdicts.add(verdict);
          if (verdict === 'replay') expect(outcome).toBe(true);
          if (outcome === true) expect(await judge()).toBe('replay');
        },
      ),
      { numRuns: 250 * ROUNDS },
    );
    expect(verdicts.size).toBe(2);
  });
});

describe('the decision', () => {
  it.each([
    ['next', true, 'won'],
    ['next', false, 'retract'],
    ['previous', true, 'retry'],
    ['previous', false, 'retract'],
    ['other', true, 'lost'],
    ['other', false, 'lost'],
    ['unknown', true, 'retry'],
    ['unknown', false, 'retract'],
  ] as const)('for a row that is %s, caller waiting %s, is %s', (stored, waiting, decision) => {
    expect(decideSettlement(stored, waiting)).toBe(decision);
  });
});
