import type { Account } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import { isPast } from '../authentication/eligibility.ts';
import type { ChangeAccount, EndSessions } from './locked-account.ts';
import { assertNotSelf } from './administrator.ts';

/**
 * Creates a function that disables or enables an account. A disabled account cannot use its credentials. It throws CONFLICT if the caller
 * would disable itself.
 */
export function createSetDisabled({
  change,
  endSessions,
}: {
  readonly change: ChangeAccount;
  readonly endSessions: EndSessions;
}) {
  return async (call: Call, account: Account, disabled: boolean): Promise<Account> => {
    if (disabled) assertNotSelf(call, account, 'disable');
    return change(call, account, async (locked) => {
      const isDue = isPast(locked.account.disableAt, locked.now);
      if (locked.account.disabled === disabled && !isDue) return;
      await locked.update({ disabled, disableAt: undefined });
      // A time that has passed ends the sessions, also if the user is enabled before the job has ended them.
      const sessionsEnded = disabled || isDue ? await endSessions(locked.tx, account, call.deadline, locked.record) : 0;
      if (disabled) locked.record('account.disabled', { sessionsEnded });
      else locked.record('account.enabled');
    });
  };
}
