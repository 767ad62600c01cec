// Rotations whose answers are lost, over a model of the database.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Deadline } from '../../src/clock.ts';
import { unavailable, withUnknownOutcome } from '../../src/db/errors.ts';
import { DependencyUnavailableError } from '../../src/errors.ts';
import { createRotations } from '../../src/session/rotate.ts';
import type { SessionFamily } from '../../src/session/session-family.ts';
import { decideSettlement } from '../../src/session/settlement.ts';

const SELECTOR = Buffer.from('selector');
const token = (generation: number, verifier: string) => ({
  selector: SELECTOR,
  generation,
  verifierHash: Buffer.from(verifier),
});
const PREVIOUS = { ...token(1, 'previous'), id: 'session', tenantId: 'acme' } as SessionFamily;
const NEXT = token(2, 'next');
const RENEWAL = { origin: undefined, now: 0, expiresAt: 1, accessExpiresAt: 1 };
type Token = Pick<SessionFamily, 'selector' | 'generation' | 'verifierHash'>;

/** What happens to one statement. */
type Fault =
  | 'none'
  /** It never reaches the server. */
  | 'lost'
  /** It is carried out, and its answer is lost. */
  | 'unanswered'
  /** It reaches the server later, but before its deadline. */
  | 'late'
  /** It is carried out on one node at once, and the cluster certifies it later. */
  | 'certified later'
  /** No connection is free. */
  | 'not sent'
  /** It loses against another transaction. */
  | 'deadlock';

/** A row that statements change, as a server or a cluster does it. */
function createModel(faults: readonly Fault[]) {
  let row: Token = PREVIOUS;
  let version = 0;
  let waiting: { readonly isBegun: boolean; arrive(): void }[] = [];
  let step = 0;
  const write = (next: Token) => {
    row = next;
    version += 1;
  };
  const isAt = ({ generation, verifierHash }: Token) =>
    row.generation === generation && row.verifierHash.equals(verifierHash);

  /** Runs a statement with the next fault. `change` returns whether the row matched. */
  async function run(change: () => boolean): Promise<boolean> {
    const fault = faults[step++] ?? 'none';
    if (fault === 'none') return change();
    if (fault === 'not sent') throw unavailable('no connection');
    if (fault === 'deadlock') throw Object.assign(unavailable('deadlock'), { wasRolledBack: true });
    if (fault === 'unanswered') change();
    if (fault === 'late') waiting.push({ isBegun: false, arrive: change });
    if (fault === 'certified later') {
      const seen = version;
      waiting.push({ isBegun: true, arrive: () => void (version === seen && change()) });
    }
    throw withUnknownOutcome(unavailable('no answer'));
  }
  const sessions = {
    advance: (family: Token, next: Token) => run(() => isAt(family) && (write(next), true)),
    retract: async (family: Token, next: Token) =>
      void (await run(() => (isAt(next) || isAt(family)) && (write(family), true))),
    async findBySelector() {
      await run(() => true);
      return row as SessionFamily;
    },
  };
  return {
    sessions,
    isAt,
    write,
    /** All statements that are on their way arrive. */
    arrive() {
      for (const { arrive } of waiting.splice(0)) arrive();
    },
    /** Statements that no server has begun are refused from now on. */
    deadlinePasses() {
      waiting = waiting.filter(({ isBegun }) => isBegun);
    },
  };
}

/** A deadline that passes when it has been asked for this often. */
function deadlineAfter(checks: number): Deadline {
  let left = checks;
  return { at: Infinity, signal: new AbortController().signal, isAborted: () => left-- <= 0 };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

async function rotateOver(model: ReturnType<typeof createModel>, deadline: Deadline) {
  const retractions: Promise<void>[] = [];
  const rotations = createRotations(
    model.sessions,
    {
      run(work) {
        const run = async () => {
          for (;;) {
            try {
              return void (await work());
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
    nextTurn,
  );
  const outcome = await rotations.advance(PREVIOUS, NEXT, RENEWAL, deadline).catch((error: unknown) => error);
  return { rotations, outcome, retractions };
}

const FAULTS = fc.constantFrom<Fault>('none', 'lost', 'unanswered', 'late', 'certified later', 'not sent', 'deadlock');

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
      { numRuns: 2_000 },
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
    const rotations = createRotations(
      model.sessions,
      { run: (work) => gate.promise.then(work).then(() => {}) },
      nextTurn,
    );
    await expect(rotations.advance(PREVIOUS, NEXT, RENEWAL, deadlineAfter(0))).rejects.toThrow('in time');
    const shortly = { at: Date.now() + 20, signal: new AbortController().signal };
    await expect(rotations.settled(SELECTOR, shortly)).rejects.toThrow('not settled yet');
    expect(await rotations.advance(PREVIOUS, token(2, 'second'), RENEWAL, deadlineAfter(9))).toBe(false);
    gate.resolve();
    await rotations.settled(SELECTOR, { ...shortly, at: Date.now() + 5_000 });
    expect(model.isAt(PREVIOUS)).toBe(true);
  });

  it('is rejected at once if nothing was sent', async () => {
    const model = createModel(['not sent']);
    const { outcome, retractions } = await rotateOver(model, deadlineAfter(10));
    expect(outcome).toBeInstanceOf(DependencyUnavailableError);
    expect(retractions).toEqual([]);
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
