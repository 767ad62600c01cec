import { ServiceError, type ReasonName } from '../errors.ts';
import type { StoredForm } from './session-family.ts';

export type Disclosure = 'maximal' | 'minimal';

const UNIFORM: readonly ReasonName[] = [
  'ACCOUNT_NOT_FOUND',
  'LOGIN_POLICY_REJECTED',
  'ACCOUNT_DISABLED',
  'ACCOUNT_EXPIRED',
  'CREDENTIALS_EXPIRED',
];

/** What minimal disclosure does not tell: Profile B keeps its 423, since there every username locks alike. */
const HIDDEN: Readonly<Record<StoredForm, readonly ReasonName[]>> = {
  COOKIE: [...UNIFORM, 'ACCOUNT_LOCKED'],
  BODY: UNIFORM,
};

const REFUSALS: ReadonlySet<ReasonName> = new Set([...UNIFORM, 'ACCOUNT_LOCKED', 'BAD_CREDENTIALS']);

/** Whether the credentials or the account were refused, for whatever reason: an outage is not a refused login. */
export function isRefusedLogin(error: unknown): boolean {
  return error instanceof ServiceError && REFUSALS.has(error.reason);
}

/** Under minimal disclosure every refusal of an account that must not be told apart is the same bad-credentials error. */
export function discloseLoginFailure(error: unknown, disclosure: Disclosure, form: StoredForm): unknown {
  const hidden = disclosure === 'minimal' && error instanceof ServiceError && HIDDEN[form].includes(error.reason);
  return hidden ? new ServiceError('BAD_CREDENTIALS', { cause: error }) : error;
}
