// What changes of an account make of its tokens of mails.
import type { Account } from '../../principal/account.ts';
import type { AccountChanges } from '../account-store.ts';

/** The fields whose change ends the tokens. */
const ENDING = ['passwordHash', 'email', 'disabled'] as const;

/** Whether changes end the tokens of mails to the account. */
export function endsMailTokens(changes: AccountChanges): boolean {
  return ENDING.some((field) => field in changes);
}

/** Returns what becomes of an invitation when its token ends. A password accepts or replaces it. */
export function endedInvitation(
  { invitationExpiresAt }: Account,
  changes: AccountChanges,
  now: number,
): Pick<AccountChanges, 'invitationExpiresAt'> {
  if (invitationExpiresAt === undefined || !endsMailTokens(changes)) return {};
  return { invitationExpiresAt: changes.passwordHash === undefined ? Math.min(invitationExpiresAt, now) : undefined };
}
