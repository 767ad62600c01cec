// Whether the answers to two requests, alike but for whose records they name, keep a tenant to itself.
import { isEmpty, tenantsIn, visitMembers, type Answer } from './answer.ts';
import type { Expectation } from './line.ts';
import type { Operation } from './operation.ts';
import { anonymous, spelling, type Kind, type Known, type Sides } from './records.ts';

type Surface = Operation<unknown>['surface'];

interface Rule {
  readonly outcomes: Readonly<Record<Surface, string>>;
  /** What else is wrong with an answer of this outcome. */
  readonly objection?: (answer: Answer) => string | undefined;
}

const RULES: Readonly<Record<Expectation, Rule>> = {
  hidden: { outcomes: { REST: '404 not-found', RPC: 'NOT_FOUND' } },
  reference: {
    outcomes: { REST: '400 validation-error', RPC: 'VALIDATION_ERROR' },
    objection: ({ body }) =>
      faultsOf(body).every((format) => format === 'reference') ? undefined : 'faults of another kind',
  },
  elsewhere: { outcomes: { REST: '403 tenant-mismatch', RPC: 'TENANT_MISMATCH' } },
  forbidden: { outcomes: { REST: '403 permission-denied', RPC: 'PERMISSION_DENIED' } },
  nothing: {
    outcomes: { REST: '200', RPC: 'OK' },
    objection: ({ body }) => (isEmpty(body) ? undefined : 'something matches'),
  },
  own: { outcomes: { REST: '200', RPC: 'OK' } },
};

/** The rules that violations name; a reference that fails must be the only fault. */
function faultsOf(body: unknown): string[] {
  const formats: string[] = [];
  visitMembers(body, (key, value) => key === 'format' && formats.push(String(value)));
  return formats.length === 0 ? ['none'] : formats;
}

/** What was asked, and of whom. */
export interface Asked {
  readonly expectation: Expectation;
  readonly surface: Surface;
  /** The kinds of records that the request named. */
  readonly kinds: readonly Kind[];
}

/** What is wrong with an answer by itself; undefined where nothing is. */
export function objectionTo(answer: Answer, { expectation, surface }: Asked): string | undefined {
  const { outcomes, objection } = RULES[expectation];
  const expected = outcomes[surface];
  return answer.outcome === expected ? objection?.(answer) : `${answer.outcome} in place of ${expected}`;
}

/** Whether the owner was shown what the other is to be denied; without that, a denial proves nothing. */
export function isShown(answer: Answer, { expectation, surface }: Asked): boolean {
  if (answer.outcome !== RULES.own.outcomes[surface]) return false;
  return expectation !== 'nothing' || !isEmpty(answer.body);
}

const SHOWN = 60;

/** Where two answers differ in more than the names that were asked for; undefined where they are the same to the byte. */
export function differenceOf(
  one: Answer,
  about: Known,
  other: Answer,
  aboutOther: Known,
  { kinds }: Asked,
): string | undefined {
  if (one.whole === other.whole) return undefined;
  const [text, otherText] = [anonymous(one.whole, about, kinds), anonymous(other.whole, aboutOther, kinds)];
  if (text === otherText) return undefined;
  const at = [...text].findIndex((letter, index) => letter !== otherText[index]);
  const from = Math.max(0, (at === -1 ? text.length : at) - SHOWN / 2);
  const [shown, otherShown] = [text, otherText].map((each) => each.slice(from, from + SHOWN));
  return `answered by …${shown}…, but where there is nothing by …${otherShown}…`;
}

/** What an answer gives away of another tenant's records, beyond the names that were asked for. */
export function leaksOf(answer: Answer, { own, foreign }: Sides, { kinds }: Asked): string[] {
  const text = anonymous(answer.whole, foreign, kinds);
  const named = Object.keys(foreign).filter((kind) => kind !== 'tenant') as Kind[];
  const tenants = [...tenantsIn(answer.body)].filter((tenant) => tenant !== own.tenant);
  return [
    ...named.filter((kind) => text.includes(spelling(foreign, kind)!)),
    ...tenants.map((tenant) => `tenant ${tenant}`),
  ];
}
