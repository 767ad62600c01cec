import { ServiceError, type ReasonName } from '../errors.ts';

export type Disclosure = 'maximal' | 'minimal';

const UNIFORM: readonly ReasonName[] = [
  'ACCOUNT_NOT_FOUND',
  'LOGIN_POLICY_REJECTED',
  'ACCOUNT_LOCKED',
  'ACCOUNT_DISABLED',
  'ACCOUNT_EXPIRED',
  'CREDENTIALS_EXPIRED',
];

/** Under minimal disclosure every refusal of an account is the same bad-credentials error. */
export function discloseLoginFailure(error: unknown, disclosure: Disclosure): unknown {
  const hidden = disclosure === 'minimal' && error instanceof ServiceError && UNIFORM.includes(error.reason);
  return hidden ? new ServiceError('BAD_CREDENTIALS', { cause: error }) : error;
}
