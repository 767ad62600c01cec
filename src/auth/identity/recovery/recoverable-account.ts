import type { ServiceError } from '../../../platform/errors.ts';
import { findingParams, refusal } from '../../access/refusals.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Account } from '../../access/account.ts';
import type { FoundAccount } from '../account-row.ts';
import { findIneligibility } from '../authentication/eligibility.ts';

/** An account that a mail can reach. */
export interface RecoverableAccount extends Account {
  readonly tenantId: string;
  readonly email: string;
}

/**
 * Returns the account if its user can choose a new password by mail; undefined if not. A lock of the password does not matter.
 */
export function recoverableAccount(
  found: FoundAccount | undefined,
  policies: Pick<Policies, 'of'>,
  now: number,
): RecoverableAccount | undefined {
  return findObstacle(found, policies, now) === undefined ? (found!.account as RecoverableAccount) : undefined;
}

/**
 * Returns what creates the error for an administrator if the user of an account cannot choose a new password by mail; undefined if it can.
 * A request of the user creates none. A SUPER_ADMIN has no tenant and no recovery: who reads one mailbox must not get all tenants. A user
 * without a password needs an invitation, which an administrator can end.
 */
export function findObstacle(
  found: FoundAccount | undefined,
  policies: Pick<Policies, 'of'>,
  now: number,
): (() => ServiceError) | undefined {
  const ineligible = findIneligibility('refresh-token', found, now);
  if (found === undefined || ineligible) return () => refusal('userCannotLogIn', findingParams(ineligible!));
  const { account, definitions } = found;
  if (account.tenantId === undefined) return () => refusal('superAdminNotRecovered');
  if (!account.interactive || !account.hasPassword) return () => refusal('userHasNoPassword');
  if (account.email === undefined) return () => refusal('userHasNoEmail');
  return policies.of(definitions).effective.recovery ? undefined : () => refusal('recoveryOff');
}
