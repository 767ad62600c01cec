// The checker of the histories of the cluster tests.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkHistory, type Operation } from '../cluster/history.ts';

type Short = readonly [
  kind: Operation['kind'],
  generation: number,
  start: number,
  end: number,
  outcome?: Operation['outcome'],
];

const operation = ([kind, generation, start, end, outcome = 'accepted']: Short): Operation => ({
  session: 's',
  kind,
  generation,
  start,
  end,
  outcome,
});
const rulesBroken = (...operations: readonly Short[]) => [
  ...new Set(checkHistory({ sessions: ['s'], operations: operations.map(operation) }).map(({ rule }) => rule)),
];

const ONE_WINNER = 'each generation has one winner';
const ROTATION = 'an acknowledged rotation is not undone';
const LOGOUT = 'an acknowledged logout is not undone';
const REVIVAL = 'a session that was refused stays refused';
const LOST = 'a live session is not refused';
const UNAVAILABLE = 'a live session is available at the end';

describe('a history that a correct service can produce', () => {
  it.each<[string, ...Short[]]>([
    ['no request'],
    ['refreshes in turn', ['refresh', 1, 0, 1], ['use', 2, 2, 3], ['refresh', 2, 4, 5]],
    ['a repetition after a 503', ['refresh', 1, 0, 1, 'unavailable'], ['refresh', 1, 2, 3]],
    [
      'a race: one winner, then all are refused',
      ['refresh', 1, 0, 5],
      ['refresh', 1, 1, 6, 'refused'],
      ['use', 2, 7, 8, 'refused'],
    ],
    ['a replay', ['refresh', 1, 0, 1], ['refresh', 1, 2, 3, 'refused'], ['use', 2, 4, 5, 'refused']],
    ['a logout', ['use', 1, 0, 1], ['logout', 1, 2, 3], ['use', 1, 4, 5, 'refused'], ['refresh', 1, 4, 5, 'refused']],
    ['a use during a logout', ['logout', 1, 0, 5], ['use', 1, 1, 3], ['use', 1, 4, 6, 'refused']],
    ['a logout with 503 that happened', ['logout', 1, 0, 1, 'unavailable'], ['use', 1, 2, 3, 'refused']],
    ['a logout with 503 that did not happen', ['logout', 1, 0, 1, 'unavailable'], ['use', 1, 2, 3]],
  ])('%s', (_name, ...operations) => {
    expect(rulesBroken(...operations)).toEqual([]);
  });
});

describe('a violation of a history', () => {
  it.each<[string, readonly string[], ...Short[]]>([
    ['two winners at once', [ONE_WINNER], ['refresh', 1, 0, 5], ['refresh', 1, 1, 4]],
    ['two winners in turn', [ONE_WINNER, ROTATION], ['refresh', 1, 0, 1], ['refresh', 1, 2, 3]],
    ['an older generation', [ROTATION], ['refresh', 2, 0, 1], ['refresh', 1, 2, 3]],
    ['a token after the logout', [LOGOUT], ['logout', 1, 0, 1], ['use', 1, 2, 3]],
    ['a refresh after the logout', [LOGOUT], ['logout', 1, 0, 1], ['refresh', 1, 2, 3]],
    [
      'an access token after a replay',
      [REVIVAL],
      ['refresh', 1, 0, 1],
      ['refresh', 1, 2, 3, 'refused'],
      ['use', 2, 4, 5],
    ],
    ['a lost session', [LOST], ['refresh', 1, 0, 1], ['refresh', 2, 2, 3, 'refused']],
    ['a 503 judged as a replay', [LOST], ['refresh', 1, 0, 1, 'unavailable'], ['refresh', 1, 2, 3, 'refused']],
    ['a fresh token that is unknown', [LOST], ['use', 1, 0, 1, 'refused']],
    ['a logout after the refusal', [LOST], ['use', 1, 0, 1, 'refused'], ['logout', 1, 2, 3]],
    ['no answer at the end', [UNAVAILABLE], ['refresh', 1, 0, 1], ['refresh', 2, 2, 3, 'unavailable']],
  ])('is detected: %s', (_name, rules, ...operations) => {
    expect(rulesBroken(...operations).toSorted()).toEqual([...rules].toSorted());
  });

  it('belongs to one session', () => {
    const violations = checkHistory({
      sessions: ['s', 't'],
      operations: [operation(['use', 1, 0, 1]), { ...operation(['use', 1, 0, 1, 'refused']), session: 't' }],
    });
    expect(violations.map(({ session }) => session)).toEqual(['t']);
  });
});

/** What a correct service does with requests that arrive one after the other, of which some get no response. */
const MODEL = fc
  .array(
    fc.record({
      kind: fc.constantFrom<Operation['kind']>('refresh', 'use', 'logout'),
      /** How many generations the presented token is old. */
      age: fc.constantFrom(0, 0, 0, 0, 1),
      /** A rotation without a response does not happen. A logout may. */
      fate: fc.constantFrom('answered', 'answered', 'lost', 'happened'),
    }),
    { maxLength: 20 },
  )
  .map((requests) => {
    let current = 1;
    let isRevoked = false;
    const operations = requests.map(({ kind, age, fate }, index): Operation => {
      const generation = Math.max(current - (kind === 'refresh' ? age : 0), 1);
      const at = { session: 's', kind, generation, start: 2 * index, end: 2 * index + 1 };
      if (fate === 'lost' || (fate === 'happened' && kind !== 'logout')) return { ...at, outcome: 'unavailable' };
      if (kind === 'logout') isRevoked = true;
      if (fate === 'happened') return { ...at, outcome: 'unavailable' };
      if (kind === 'logout') return { ...at, outcome: 'accepted' };
      if (!isRevoked && kind === 'refresh') {
        if (generation === current) current += 1;
        else isRevoked = true;
      }
      return { ...at, outcome: isRevoked ? 'refused' : 'accepted' };
    });
    const end = 2 * requests.length;
    return [...operations, operation(['use', current, end, end + 1, isRevoked ? 'refused' : 'accepted'])];
  });

describe('any history of a correct service', () => {
  it('has no violation', () => {
    fc.assert(fc.property(MODEL, (operations) => checkHistory({ sessions: ['s'], operations }).length === 0));
  });

  it('has a violation if a token is accepted after a logout or a replay', () => {
    fc.assert(
      fc.property(MODEL, (operations) => {
        const index = operations.findLastIndex(({ outcome }) => outcome === 'refused');
        fc.pre(operations.slice(0, index).some(({ outcome }) => outcome === 'refused'));
        const changed = operations.with(index, { ...operations[index]!, outcome: 'accepted' });
        return checkHistory({ sessions: ['s'], operations: changed }).length > 0;
      }),
    );
  });
});
