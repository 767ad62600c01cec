// Random histories of codes and grants at two processes, against the model of grants. Two operations at once must look as if one of them
// had come first.
import fc from 'fast-check';
import { expect } from 'vitest';
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
} from './grant-model.ts';
import { openScene, type Held, type Scene } from './grant-scene.ts';
import type { Service } from './service.ts';

const LENGTH = 60;

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
  [14, 'refresh'],
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
/** A history begins with a session, and a grant of each application: one that outlives the session, and one that does not. */
const BEGINNING: readonly Wish[] = [
  { kind: 'open', which: 0, other: 0, flag: false },
  ...[0, 1].flatMap((party): readonly Wish[] => [
    { kind: 'authorize', which: 0, other: party, flag: party === 0 },
    { kind: 'exchange', which: 0, other: 0, flag: false },
  ]),
];
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ wishes: fc.tuple(wish), at: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ wishes: fc.tuple(wish, wish), at: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ seconds: fc.constantFrom(1, 29, 30, 31, 31, 60, 60, 120, 300) }) },
);

/** The next sessions and grants get the next numbers. */
function resolve({ kind, which, other, flag }: Wish, scene: Scene, place: number): Operation | undefined {
  const { sessions, held } = scene;
  const party = other % TYPES.length;
  if (kind === 'open') return { kind, session: (newest(sessions.keys(), 0) ?? -1) + 1 + place };
  if (kind === 'end all') return { kind, how: ENDS[which % ENDS.length]! };
  if (kind === 'switch') return { kind, party, disabled: flag && which === 0 };
  const session = newest(sessions.keys(), which);
  if (kind === 'log out') return session === undefined ? undefined : { kind, session };
  if (kind === 'authorize')
    return session === undefined
      ? undefined
      : { kind, grant: (newest(held.keys(), 0) ?? 0) + 1 + place, session, party, offline: flag };
  const isOfCode = kind === 'exchange' || kind === 'steal';
  // Mostly codes that are new: a replay ends a grant.
  const fits = ({ refresh }: Held) => (isOfCode ? refresh.size === 0 || (flag && other === 0) : refresh.size > 0);
  const grant = newest(
    [...held].filter(([, one]) => fits(one)).map(([id]) => id),
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
      const orders = ordersOf(operations, outcomes);
      model.states = distinct(
        before.flatMap((state) => orders.flatMap((order) => statesAfter(state, order, scene.now()))),
      );
      if (model.states.length === 0) throw new Error(`${this.done}, in ${JSON.stringify(before)}`);
    }
    await probe(model, scene);
  }
}

const distinct = (states: readonly State[]): readonly State[] => [
  ...new Map(states.map((state) => [JSON.stringify(state), state])).values(),
];

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

/** Runs histories of new accounts. Rejects with the first one that the model does not allow. */
export async function checkHistories(services: readonly [Service, Service], count: number): Promise<void> {
  const commands = fc.commands([step.map((one) => new Command(one))], { maxCommands: LENGTH, size: 'max' });
  await fc.assert(
    fc.asyncProperty(commands, async (history) => {
      const scene = await openScene(services);
      const model: Model = { states: [NOTHING] };
      for (const one of BEGINNING) await new Command({ wishes: [one], at: 0 }).run(model, scene);
      await fc.asyncModelRun(() => ({ model, real: scene }), history);
      await settle(model, scene);
    }),
    { numRuns: count, endOnFailure: true },
  );
}
