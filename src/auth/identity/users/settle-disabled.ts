import type { Deadline } from '../../../platform/clock.ts';
import { isPast } from '../authentication/eligibility.ts';
import type { EndSessions, LockedAccount } from './locked-account.ts';

/**
 * Disables an account whose time to be disabled has passed, and ends what it has. Its credentials have been refused since then. Does nothing
 * otherwise.
 */
export async function settleDisabled(
  locked: LockedAccount,
  endSessions: EndSessions,
  deadline: Deadline,
): Promise<void> {
  const { account, now, record } = locked;
  if (!isPast(account.disableAt, now)) return;
  await locked.update({ disabled: true, disableAt: undefined });
  if (account.disabled) return;
  const sessionsEnded = await endSessions(locked.tx, account, deadline, record);
  record('account.disabled', { sessionsEnded, scheduled: 'true' });
}
