// What changes of an account make of its tokens of mails.
import type { Account } from '../../access/account.ts';
import type { AccountChanges } from '../account-store.ts';

/** Whether changes end the tokens of mails to the account: a new password, another address, or the end of its use. */
export function endsMailTokens(account: Account, changes: AccountChanges): boolean {
  const { passwordHash, disabled = false } = changes;
  return passwordHash !== undefined || disabled || ('email' in changes && changes.email !== account.email);
}

/** Returns what becomes of an invitation when its token ends. A password accepts or replaces it. */
export function endedInvitation(
  account: Account,
  changes: AccountChanges,
  now: number,
): Pick<AccountChanges, 'invitationExpiresAt'> {
  const { invitationExpiresAt } = account;
  if (invitationExpiresAt === undefined || !endsMailTokens(account, changes)) return {};
  return { invitationExpiresAt: changes.passwordHash === undefined ? Math.min(invitationExpiresAt, now) : undefined };
}
