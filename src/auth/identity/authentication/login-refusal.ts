// Why an account may not log in, whatever it proves.
import type { ReasonName } from '../../../platform/errors.ts';
import type { Account } from '../../access/account.ts';
import { finding, type Finding } from '../../access/findings.ts';
import {
  findIneligibility,
  isPast,
  type AccountWithTenant,
  type IneligibilityCause,
  type Refusal,
} from './eligibility.ts';

/** The error reasons for refusals that do not depend on what the user proves. */
const LOGIN_REASONS: Readonly<Record<IneligibilityCause, ReasonName>> = {
  unknown: 'ACCOUNT_NOT_FOUND',
  'service-account': 'LOGIN_POLICY_REJECTED',
  'interactive-account': 'LOGIN_POLICY_REJECTED',
  tenantless: 'LOGIN_POLICY_REJECTED',
  'tenant-suspended': 'LOGIN_POLICY_REJECTED',
  locked: 'ACCOUNT_LOCKED',
  disabled: 'ACCOUNT_DISABLED',
  expired: 'ACCOUNT_EXPIRED',
};

/**
 * Returns why an account may not log in now; undefined if it may.
 *
 * @param policyRefusal Why the policy of its tenant refuses the login.
 */
export function findLoginRefusal(
  credential: 'password' | 'factor',
  accountWithTenant: AccountWithTenant | undefined,
  policyRefusal: string | undefined,
  now: number,
): Refusal<ReasonName> | undefined {
  const ineligible = findIneligibility(credential, accountWithTenant, now);
  if (ineligible) return { reason: LOGIN_REASONS[ineligible.reason], detail: ineligible.detail };
  return policyRefusal === undefined ? undefined : { reason: 'LOGIN_POLICY_REJECTED', detail: policyRefusal };
}

/** Returns the refusal of a right password that is too old; undefined if it is not. */
export function passwordExpired(
  { credentialsExpireAt, passwordTemporaryUntil }: Pick<Account, 'credentialsExpireAt' | 'passwordTemporaryUntil'>,
  now: number,
): (Refusal<ReasonName> & Finding) | undefined {
  if (isPast(passwordTemporaryUntil, now))
    return { reason: 'CREDENTIALS_EXPIRED', ...finding('TEMPORARY_PASSWORD_ENDED') };
  return isPast(credentialsExpireAt, now)
    ? { reason: 'CREDENTIALS_EXPIRED', ...finding('PASSWORD_EXPIRED') }
    : undefined;
}
