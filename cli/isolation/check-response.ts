// Checks responses for data of another tenant. Compares the responses to two requests that differ only in the ids of records.
import type { IntrospectTokenResponse } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { isEmpty, tenantsIn, visitMembers, type OperationResponse, type Operation } from './operation.ts';
import type { Expectation } from './probe-case.ts';
import { anonymize, toText, type Kind, type PartialRecords, type TenantRecords } from './records.ts';

type Surface = Operation<unknown>['surface'];

interface Rule {
  readonly outcomes: Readonly<Record<Surface, string>>;
  /** Returns a further problem of a response with this outcome. */
  readonly problem?: (response: OperationResponse) => string | undefined;
}

const RULES: Readonly<Record<Expectation, Rule>> = {
  hidden: { outcomes: { REST: '404 not-found', RPC: 'NOT_FOUND' } },
  reference: {
    outcomes: { REST: '400 validation-error', RPC: 'VALIDATION_ERROR' },
    problem: ({ body }) =>
      findViolatedRules(body).every((format) => format === 'reference') ? undefined : 'has violations of other rules',
  },
  elsewhere: { outcomes: { REST: '403 tenant-mismatch', RPC: 'TENANT_MISMATCH' } },
  forbidden: { outcomes: { REST: '403 permission-denied', RPC: 'PERMISSION_DENIED' } },
  nothing: {
    outcomes: { REST: '200', RPC: 'OK' },
    problem: ({ body }) => (isEmpty(body) ? undefined : 'is not empty'),
  },
  own: { outcomes: { REST: '200', RPC: 'OK' } },
  disclosed: { outcomes: { REST: '200', RPC: 'OK' } },
  unserved: { outcomes: { REST: '403 permission-denied', RPC: 'PERMISSION_DENIED' } },
  active: introspected(true),
  inactive: introspected(false),
};

function introspected(active: boolean): Rule {
  return {
    outcomes: { REST: '200', RPC: 'OK' },
    problem: ({ body }) =>
      (body as IntrospectTokenResponse).active === active ? undefined : `is ${active ? 'not ' : ''}active`,
  };
}

/** Returns the violated rules in a body. An invalid reference must be the only violation. */
function findViolatedRules(body: unknown): string[] {
  const formats: string[] = [];
  visitMembers(body, (key, value) => key === 'format' && formats.push(String(value)));
  return formats.length === 0 ? ['none'] : formats;
}

/** Expectation, surface and record kinds of a request. */
export interface ProbeInfo {
  readonly expectation: Expectation;
  readonly surface: Surface;
  /** The kinds of records whose ids are in the request. */
  readonly kinds: readonly Kind[];
}

/** Returns the problem of a response by itself, or undefined. */
export function findProblem(response: OperationResponse, { expectation, surface }: ProbeInfo): string | undefined {
  const { outcomes, problem } = RULES[expectation];
  const expected = outcomes[surface];
  return response.outcome === expected ? problem?.(response) : `${response.outcome} instead of ${expected}`;
}

/** Whether the owner can see the records. Otherwise the other caller's NOT_FOUND would prove nothing. */
export function isVisibleToOwner(response: OperationResponse, { expectation, surface }: ProbeInfo): boolean {
  if (response.outcome !== RULES.own.outcomes[surface]) return false;
  return expectation !== 'nothing' || !isEmpty(response.body);
}

/** Length of the shown part of a difference, in characters. */
const EXCERPT_LENGTH = 60;

/** Describes a difference between two responses, apart from the requested ids. Undefined if they are identical. */
export function describeDifference(
  one: OperationResponse,
  about: PartialRecords,
  other: OperationResponse,
  aboutOther: PartialRecords,
  { kinds }: ProbeInfo,
): string | undefined {
  if (one.whole === other.whole) return undefined;
  const [text, otherText] = [anonymize(one.whole, about, kinds), anonymize(other.whole, aboutOther, kinds)];
  if (text === otherText) return undefined;
  const at = [...text].findIndex((letter, index) => letter !== otherText[index]);
  const from = Math.max(0, (at === -1 ? text.length : at) - EXCERPT_LENGTH / 2);
  const [shown, otherShown] = [text, otherText].map((each) => each.slice(from, from + EXCERPT_LENGTH));
  return `the response is …${shown}…, but for missing records …${otherShown}…`;
}

/** Returns the data of another tenant in a response, apart from the requested ids. */
export function findLeaks(
  response: OperationResponse,
  { own, foreign }: TenantRecords,
  { kinds }: ProbeInfo,
): string[] {
  const text = anonymize(response.whole, foreign, kinds);
  const named = Object.keys(foreign).filter((kind) => kind !== 'tenant') as Kind[];
  const tenants = [...tenantsIn(response.body)].filter((tenant) => tenant !== own.tenant);
  return [
    ...named.filter((kind) => text.includes(toText(foreign, kind)!)),
    ...tenants.map((tenant) => `tenant ${tenant}`),
  ];
}
