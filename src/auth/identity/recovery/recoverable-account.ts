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
 * Returns the account if its user can choose a new password by mail; undefined if not. A lock of the password does not matter. A
 * SUPER_ADMIN has no tenant and no recovery: who reads one mailbox must not get all tenants. A user without a password needs an
 * invitation, which an administrator can end.
 */
export function recoverableAccount(
  found: FoundAccount | undefined,
  policies: Pick<Policies, 'of'>,
  now: number,
): RecoverableAccount | undefined {
  if (found === undefined || findIneligibility('refresh-token', found, now)) return undefined;
  const { account, definitions } = found;
  const { interactive, hasPassword, tenantId, email } = account;
  if (!interactive || !hasPassword || tenantId === undefined || email === undefined) return undefined;
  return policies.of(definitions).effective.recovery ? { ...account, tenantId, email } : undefined;
}
