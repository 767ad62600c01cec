import type { Clock } from '../../../platform/clock.ts';
import { DatabaseError } from '../../../platform/db/errors.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Call } from '../../principal/principal.ts';
import type { AuditEvent, AuditEventName, AuditLog } from '../../audit/audit-log.ts';
import { insertAccount } from '../account-store.ts';
import { actorIdOf } from './administrator.ts';
import type { Account } from '../../principal/account.ts';
import { canClaimUsername } from '../../tenancy/claim-username.ts';

/** The fields of a new account that an administrator chooses. */
type AccountDraft = Pick<
  Account,
  'tenantId' | 'username' | 'name' | 'email' | 'interactive' | 'roles' | 'accountExpiresAt' | 'credentialsExpireAt'
>;

/** The new account in the transaction that creates it. */
export interface NewAccount {
  readonly tx: Statements;
  readonly account: Account;
  record(event: AuditEventName, details?: AuditEvent['details']): void;
}

/** Creates an account and runs `also` in the same transaction. Rejects with CONFLICT if the username is taken. */
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
      const field = account.interactive ? 'username' : 'client id';
      throw new ServiceError('CONFLICT', { publicMessage: `The ${field} is taken`, cause: error });
    }
  };
}

/**
 * Adds an account in a transaction. All usernames are created here. Rejects with VALIDATION_ERROR if the username lies
 * under a login domain of another tenant. Rejects with DatabaseError `duplicate` if it is taken.
 */
export async function addAccount(
  database: Database,
  tx: Statements,
  account: Account,
  passwordHash: string | undefined,
): Promise<void> {
  if (!(await canClaimUsername(database, tx, account.username, account.tenantId))) throw foreignDomain(account);
  await insertAccount(tx, account, passwordHash);
}

/** The message does not reveal which tenant owns the domain. */
function foreignDomain({ interactive }: Account): ServiceError {
  const field = interactive ? 'username' : 'clientId';
  return new ServiceError('VALIDATION_ERROR', {
    publicMessage: 'The account cannot be created',
    violations: [
      { message: 'must not lie under a login domain of another tenant', format: 'loginDomain', props: [field] },
    ],
  });
}
