import type { AuditEvent, AuditEventName, AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../clock.ts';
import { DatabaseError } from '../../db/errors.ts';
import { newId } from '../../db/ids.ts';
import type { Database, Statements } from '../../db/types.ts';
import { ServiceError } from '../../errors.ts';
import type { Call } from '../../rpc/types.ts';
import type { Account } from '../../principal/account.ts';
import { actorIdOf } from './administrator.ts';
import { addAccount } from './add-account.ts';

/** What an administrator decides of a new account. */
export type AccountDraft = Pick<
  Account,
  'tenantId' | 'username' | 'name' | 'email' | 'interactive' | 'roles' | 'accountExpiresAt' | 'credentialsExpireAt'
>;

/** The account that is being created, in its transaction. */
export interface NewAccount {
  readonly tx: Statements;
  readonly account: Account;
  record(event: AuditEventName, details?: AuditEvent['details']): void;
}

/** Creates an account, and what `also` adds, or nothing. Rejects with CONFLICT where the username is taken. */
export type CreateAccount = (
  call: Call,
  draft: AccountDraft,
  passwordHash: string | undefined,
  also?: (created: NewAccount) => Promise<void>,
) => Promise<Account>;

export function createCreateAccount(options: {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly clock: Clock;
}): CreateAccount {
  const { database, audit, clock } = options;

  return async (call, draft, passwordHash, also) => {
    const account: Account = {
      ...draft,
      id: newId(),
      disabled: false,
      loginFailedCount: 0,
      lockedUntil: undefined,
      createdAt: clock(),
    };
    const { tenantId, id: accountId, username, roles } = account;
    try {
      await audit.commit(call, async (tx, emit) => {
        const record: NewAccount['record'] = (event, details = {}) =>
          emit({ event, tenantId, accountId, username, actorId: actorIdOf(call, account), details });
        await addAccount(database, tx, account, passwordHash);
        record('account.created', { roles: roles.join() });
        await also?.({ tx, account, record });
      });
      return account;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== 'duplicate') throw error;
      const what = account.interactive ? 'username' : 'client id';
      throw new ServiceError('CONFLICT', { publicMessage: `The ${what} is taken`, cause: error });
    }
  };
}
