import type { Call } from '../../../platform/rpc/types.ts';
import type { LockedAccount } from './change-account.ts';
import { isPast } from '../authentication/eligibility.ts';
import type { UserDependencies } from './user-dependencies.ts';

/**
 * Sets a new password. Removes the account's lock, removes the password's end date if it has passed, and ends all
 * sessions.
 */
export async function replacePassword(
  { tx, account, now, update, record }: LockedAccount,
  passwordHash: string,
  { lock, endSessions }: Pick<UserDependencies, 'lock' | 'endSessions'>,
  call: Call,
): Promise<void> {
  const expired = isPast(account.credentialsExpireAt, now);
  await update({ passwordHash, ...(expired && { credentialsExpireAt: undefined }) });
  await lock.unlock(tx, account);
  record('account.password-changed', { sessionsEnded: await endSessions(tx, account, call.deadline) });
}
