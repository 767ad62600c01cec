// What a change of an account gets from its transaction.
import type { Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import type { Account, StoredAccount } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import type { HeldPermissions } from '../../access/roles/rights.ts';
import type { AuditEventName } from '../../audit/trail/audit-events.ts';
import type { AuditEvent } from '../../audit/trail/audit-log.ts';
import type { AccountChanges, AccountKey } from '../account-store.ts';

/** An account, locked by the transaction that changes it. */
export interface LockedAccount {
  readonly tx: Statements;
  /** The permissions of the caller at this moment. */
  readonly actor: HeldPermissions;
  /** The stored account. It cannot change outside this transaction until the transaction ends. */
  readonly account: Account;
  readonly now: number;
  update(changes: AccountChanges): Promise<void>;
  remove(): Promise<void>;
  /** Makes the transaction fail if another node of a cluster changes the account at the same time. */
  guard(): Promise<void>;
  record(event: AuditEventName, details?: AuditEvent['details']): void;
}

/** The new account in the transaction that creates it. */
export type NewAccount = Pick<LockedAccount, 'tx' | 'account' | 'record'>;

/** The fields of a new account that an administrator chooses. */
export type AccountDraft = Pick<
  StoredAccount,
  | 'tenantId'
  | 'username'
  | 'name'
  | 'email'
  | 'interactive'
  | 'roles'
  | 'resourceServer'
  | 'accountExpiresAt'
  | 'credentialsExpireAt'
  | 'invitationExpiresAt'
>;

/** The call of a change, or the context of a job. */
export type Acting = Pick<Call, 'deadline'> & Partial<Pick<Call, 'principal'>>;

export type ChangeWork = (locked: LockedAccount) => Promise<void>;

/** Changes an account in a transaction. */
export type ChangeAccount = (call: Call, account: AccountKey, work: ChangeWork) => Promise<Account>;

/**
 * Ends all sessions and access tokens of an account in the caller's transaction. Returns the number of sessions ended.
 *
 * @param record Records what ends besides: the access of applications.
 */
export type EndSessions = (
  tx: Statements,
  account: AccountKey,
  deadline: Deadline,
  record: LockedAccount['record'],
) => Promise<number>;
