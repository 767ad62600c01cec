import type { Call } from '../../rpc/types.ts';
import type { LockedAccount } from './change-account.ts';
import { isPast } from '../authentication/eligibility.ts';
import type { UserDependencies } from './user-dependencies.ts';

/**
 * Gives an account a new password: a lock is lifted, an end date that the old password had reached goes with it, and all
 * sessions end.
 */
export async function replacePassword(
  { tx, account, now, update, record }: LockedAccount,
  passwordHash: string,
  { lock, endSessions }: Pick<UserDependencies, 'lock' | 'endSessions'>,
  call: Call,
): Promise<void> {
  const outdated = isPast(account.credentialsExpireAt, now);
  await update({ passwordHash, ...(outdated && { credentialsExpireAt: undefined }) });
  await lock.unlock(tx, account);
  record('account.password-changed', { sessionsEnded: await endSessions(tx, account, call.deadline) });
}
