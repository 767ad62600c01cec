import { ServiceError, type ReasonName } from '../../../platform/errors.ts';
import type { StoredTransport } from '../session-family.ts';

export type Disclosure = 'maximal' | 'minimal';

const UNIFORM: readonly ReasonName[] = [
  'ACCOUNT_NOT_FOUND',
  'LOGIN_POLICY_REJECTED',
  'ACCOUNT_DISABLED',
  'ACCOUNT_EXPIRED',
  'CREDENTIALS_EXPIRED',
  // Not hidden, but replaced like the others, so that all take the same time.
  'BAD_CREDENTIALS',
];

/**
 * The reasons that minimal disclosure hides. Profile B keeps its 423, because there every username locks in the same
 * way.
 */
const HIDDEN: Readonly<Record<StoredTransport, readonly ReasonName[]>> = {
  COOKIE: [...UNIFORM, 'ACCOUNT_LOCKED'],
  BODY: UNIFORM,
};

const REFUSALS: ReadonlySet<ReasonName> = new Set([...UNIFORM, 'ACCOUNT_LOCKED']);

/** Whether the credentials or the account were refused. An outage is not a refused login. */
export function isRefusedLogin(error: unknown): boolean {
  return error instanceof ServiceError && REFUSALS.has(error.reason);
}

/** Replaces refusal reasons with the same bad-credentials error under minimal disclosure. */
export function discloseLoginFailure(error: unknown, disclosure: Disclosure, transport: StoredTransport): unknown {
  const hidden = disclosure === 'minimal' && error instanceof ServiceError && HIDDEN[transport].includes(error.reason);
  return hidden ? new ServiceError('BAD_CREDENTIALS', { cause: error }) : error;
}
