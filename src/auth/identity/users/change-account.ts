// The only way to change an account: one transaction locks its row, changes it and records the audit events.
import type { AuditEvent, AuditEventName } from '../../audit/audit-log.ts';
import type { Clock, Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Call } from '../../principal/principal.ts';
import type { Account } from '../../principal/account.ts';
import type { AccountChanges, AccountKey, AccountWriter } from '../account-store.ts';
import { actorIdOf } from './administrator.ts';

/**
 * Ends all sessions and access tokens of an account in the caller's transaction. Returns the number of sessions ended.
 */
export type EndSessions = (tx: Statements, account: AccountKey, deadline: Deadline) => Promise<number>;

/** An account, locked by the transaction that changes it. */
export interface LockedAccount {
  readonly tx: Statements;
  /** The stored account. It cannot change outside this transaction until the transaction ends. */
  readonly account: Account;
  readonly now: number;
  update(changes: AccountChanges): Promise<void>;
  remove(): Promise<void>;
  record(event: AuditEventName, details?: AuditEvent['details']): void;
}

/**
 * Changes an account and returns the updated account. Rejects with NOT_FOUND if it does not exist, and
 * with CONFLICT if no active SUPER_ADMIN would remain. Rejects with any error of `work`. After a rejection nothing has
 * changed.
 */
export type ChangeAccount = (call: Call, account: AccountKey, work: ChangeWork) => Promise<Account>;

/** Changes an account within an existing transaction, which must not have locked another account yet. */
export type ChangeAccountWithin = (
  tx: Statements,
  record: (event: AuditEvent) => void,
  ...change: Parameters<ChangeAccount>
) => Promise<Account>;

type ChangeWork = (locked: LockedAccount) => Promise<void>;

export function createChangeAccount(options: {
  readonly writer: AccountWriter;
  readonly clock: Clock;
}): ChangeAccountWithin {
  const { writer, clock } = options;

  return async (tx, record, call, target, work) => {
    const account = await writer.lock(tx, target, call.deadline);
    if (!account) throw new ServiceError('NOT_FOUND');
    const { tenantId, id: accountId, username } = account;
    const actorId = actorIdOf(call, account);
    const now = clock();
    await work({
      tx,
      account,
      now,
      update: (changes) => writer.update(tx, account, changes, now),
      remove: () => writer.remove(tx, account),
      record: (event, details = {}) => record({ event, tenantId, accountId, username, actorId, details }),
    });
    if (tenantId === undefined && account.interactive && !(await writer.hasActiveSuperAdmin(tx, now))) {
      throw new ServiceError('CONFLICT', { publicMessage: 'The last active SUPER_ADMIN must stay' });
    }
    return (await writer.find(tx, target)) ?? account;
  };
}
