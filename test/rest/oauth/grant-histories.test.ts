// Histories of codes and grants at two processes, against a model: no token is good after its end, no replay stays unpunished, no grant
// is lost. Two operations at once must look as if one of them had come first.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENGINES } from '../../support/databases.ts';
import {
  acceptsAccess,
  ENDS,
  isLive,
  NOTHING,
  run,
  TYPES,
  type Operation,
  type Outcome,
  type State,
} from '../../support/oauth/grant-model.ts';
import { openScene, type Scene } from '../../support/oauth/grant-scene.ts';
import { openedServices } from '../../support/oauth/service.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { ROUNDS } from '../../support/rounds.ts';

rememberPasswords();

/** By default the embedded database alone. */
const HERE = ROUNDS === 1 ? ENGINES.slice(0, 1) : ENGINES;
const HISTORIES = 6 * ROUNDS;
const LENGTH = 30;

/** The states that all answers so far are possible in: more than one only for a moment, after two operations at once. */
interface Model {
  states: readonly State[];
}

/** What is to be done, before it is known with what. */
interface Wish {
  readonly kind: Operation['kind'];
  /** Chooses among the sessions, grants or applications that there are. Newer ones come first. */
  readonly which: number;
  readonly other: number;
  readonly flag: boolean;
}

type Step = { readonly wishes: readonly Wish[]; readonly at: number } | { readonly seconds: number };

const KINDS: readonly (readonly [weight: number, kind: Operation['kind']])[] = [
  [2, 'open'],
  [6, 'authorize'],
  [6, 'exchange'],
  [1, 'steal'],
  [10, 'refresh'],
  [1, 'revoke'],
  [2, 'delete'],
  [1, 'log out'],
  [1, 'end all'],
  [1, 'switch'],
];

const wish: fc.Arbitrary<Wish> = fc.record({
  kind: fc.oneof(...KINDS.map(([weight, kind]) => ({ weight, arbitrary: fc.constant(kind) }))),
  which: fc.nat(3),
  other: fc.nat(3),
  flag: fc.boolean(),
});
/** A history begins with a session. */
const FIRST: Wish = { kind: 'open', which: 0, other: 0, flag: false };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ wishes: fc.tuple(wish), at: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ wishes: fc.tuple(wish, wish), at: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ seconds: fc.constantFrom(1, 29, 30, 31, 59, 60, 119, 120, 299, 300) }) },
);

/** The next sessions and grants get the next numbers. */
function resolve({ kind, which, other, flag }: Wish, scene: Scene, place: number): Operation | undefined {
  const { sessions, held } = scene;
  const party = other % TYPES.length;
  if (kind === 'open') return { kind, session: sessions.length + place };
  if (kind === 'end all') return { kind, how: ENDS[which % ENDS.length]! };
  if (kind === 'switch') return { kind, party, disabled: flag };
  const session = newest(sessions.keys(), which);
  if (kind === 'log out') return session === undefined ? undefined : { kind, session };
  if (kind === 'authorize')
    return session === undefined
      ? undefined
      : { kind, grant: (newest(held.keys(), 0) ?? 0) + 1 + place, session, party, offline: flag };
  const grant = newest(
    [...held]
      .filter(([, { refresh }]) => kind === 'exchange' || kind === 'steal' || refresh.size > 0)
      .map(([id]) => id),
    which,
  );
  if (grant === undefined) return undefined;
  if (kind !== 'refresh') return { kind, grant };
  return { kind, grant, generation: newest(held.get(grant)!.refresh.keys(), flag ? 0 : other)! };
}

function newest(ids: Iterable<number>, which: number): number | undefined {
  const all = [...ids].toSorted((a, b) => b - a);
  return all[which % all.length];
}

class Command implements fc.AsyncCommand<Model, Scene> {
  private readonly step: Step;
  private done = '';
  constructor(chosen: Step) {
    this.step = chosen;
  }
  check = () => true;
  toString = () => this.done;

  async run(model: Model, scene: Scene): Promise<void> {
    if ('seconds' in this.step) {
      this.done = `wait ${this.step.seconds} s`;
      scene.advance(this.step.seconds * 1000);
    } else {
      const { wishes, at } = this.step;
      const operations = wishes.map((one, index) => resolve(one, scene, index)).filter((one) => one !== undefined);
      this.done = operations.map((one) => JSON.stringify(one)).join(' beside ');
      const outcomes = await Promise.all(operations.map((one, index) => scene.perform(one, (at + index) % 2)));
      this.done += ` -> ${outcomes.join(', ')}`;
      const before = model.states;
      model.states = before.flatMap((state) =>
        ordersOf(operations, outcomes).flatMap((order) => statesAfter(state, order, scene.now())),
      );
      if (model.states.length === 0) throw new Error(`${this.done}, in ${JSON.stringify(before)}`);
    }
    await probe(model, scene);
  }
}

type Answered = readonly [Operation, Outcome];

function ordersOf(operations: readonly Operation[], outcomes: readonly Outcome[]): readonly (readonly Answered[])[] {
  const answered = operations.map((operation, index): Answered => [operation, outcomes[index]!]);
  return answered.length < 2 ? [answered] : [answered, answered.toReversed()];
}

/** Returns the state after operations one after the other; none if they would have been answered in another way. */
function statesAfter(state: State, order: readonly Answered[], now: number): readonly State[] {
  let after = state;
  for (const [operation, outcome] of order) {
    const [next, expected] = run(after, operation, now);
    if (expected !== outcome && !isAskedInVain(expected, outcome, order)) return [];
    after = next;
  }
  return [after];
}

/** A page that asks at once with another one does not see what the user allows there. */
const isAskedInVain = (expected: Outcome, outcome: Outcome, { length }: readonly Answered[]) =>
  length > 1 && expected === 'code' && outcome === 'consent, code';

/** Presents access tokens, which changes nothing: the first one and the last one of each grant. */
async function probe(model: Model, scene: Scene): Promise<void> {
  const now = scene.now();
  const probes = [...scene.held].flatMap(([id, { party, access }]) =>
    [...new Set([access[0], access.at(-1)])].filter((one) => one !== undefined).map((token) => ({ id, party, token })),
  );
  const accepted = await Promise.all(probes.map(({ party, token, id }) => scene.accepts(party, token, (id + now) % 2)));
  const expected = model.states.map((state) =>
    probes.map(({ id, token }) => token.expiresAt > now && acceptsAccess(state, state.grants[id]!)),
  );
  model.states = model.states.filter((_, index) => String(expected[index]) === String(accepted));
  if (model.states.length === 0)
    throw new Error(`tokens of ${probes.map(({ id }) => id).join()}: ${accepted.join()}, not ${expected.join(' or ')}`);
}

/** Refreshes every grant with its newest token: those that live are not lost, the others are over. */
async function settle({ states }: Model, scene: Scene): Promise<void> {
  for (const [id, { refresh }] of scene.held) {
    const generation = Math.max(...refresh.keys());
    if (refresh.size === 0) continue;
    const outcome = await scene.perform({ kind: 'refresh', grant: id, generation }, id % 2);
    const isGood = states.map((state) => isLive(state, state.grants[id]!, scene.now()));
    expect([id, isGood.includes(outcome.startsWith('tokens'))]).toEqual([id, true]);
  }
}

describe.each(HERE)('%s: two processes', (engine) => {
  const services = openedServices({ engine, transport: 'local', isPatient: true });

  it(
    `keep codes and grants as the model does, in ${HISTORIES} histories`,
    async () => {
      const commands = fc.commands([step.map((one) => new Command(one))], { maxCommands: LENGTH, size: 'max' });
      await fc.assert(
        fc.asyncProperty(commands, async (history) => {
          const scene = await openScene(services);
          const model: Model = { states: [NOTHING] };
          await new Command({ wishes: [FIRST], at: 0 }).run(model, scene);
          await fc.asyncModelRun(() => ({ model, real: scene }), history);
          await settle(model, scene);
        }),
        { numRuns: HISTORIES, endOnFailure: true },
      );
    },
    120_000 * ROUNDS,
  );
});
