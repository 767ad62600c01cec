import type { AuditContext, AuditLog } from '../../audit/audit-log.ts';
import type { Database } from '../../../platform/db/types.ts';
import { unlock } from '../authentication/account-lock.ts';
import { createAccountStore, createAccountWriter } from '../account-store.ts';
import { canonicalUsername } from '../login-name.ts';

export type UnlockResult = 'unlocked' | 'not-locked' | 'unknown-account';

/** Unlocks the account with a username, for the operator of the machine. Works for users and administrators. */
export type UnlockAccount = (username: string, context: AuditContext) => Promise<UnlockResult>;

/** @param options.actor Recorded as `actor` in the audit details, because the operator is not an account. */
export function createUnlockAccount(options: {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly actor: string;
}): UnlockAccount {
  const { database, audit, actor } = options;
  const accounts = createAccountStore(database);
  const writer = createAccountWriter(database);

  return async (text, context) => {
    const username = canonicalUsername(text);
    const found = username === undefined ? undefined : await accounts.findByUsername(username);
    if (!found) return 'unknown-account';
    return audit.commit(context, async (tx, record) => {
      const account = await writer.lock(tx, found.account, context.deadline);
      if (!account) return 'unknown-account';
      if (!(await unlock(tx, account))) return 'not-locked';
      const { id: accountId, tenantId, loginFailedCount } = account;
      record({ event: 'account.unlocked', tenantId, accountId, username, details: { loginFailedCount, actor } });
      return 'unlocked';
    });
  };
}
