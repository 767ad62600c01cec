import type { FailureName } from '../../src/platform/problem/catalogue.ts';

/** The failures of a login, in both profiles. */
export const LOGIN_FAILURES: readonly FailureName[] = [
  'VALIDATION_ERROR',
  'BAD_CREDENTIALS',
  'ACCOUNT_NOT_FOUND',
  'LOGIN_POLICY_REJECTED',
  'ACCOUNT_LOCKED',
  'ACCOUNT_DISABLED',
  'ACCOUNT_EXPIRED',
  'CREDENTIALS_EXPIRED',
  'TOO_MANY_REQUESTS',
];
