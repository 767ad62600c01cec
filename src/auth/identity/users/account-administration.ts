// Finds, creates, changes and lists the accounts that an administrator manages: users and service accounts.
import type { Clock, Deadline } from '../../../platform/clock.ts';
import { DatabaseError } from '../../../platform/db/errors.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { CursorPage } from '../../../platform/db/query/page.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { AuditEvent, AuditEventName, AuditLog } from '../../audit/audit-log.ts';
import {
  createAccountWriter,
  insertAccount,
  type AccountChanges,
  type AccountKey,
  type AccountStore,
} from '../account-store.ts';
import type { TenantExists } from './account-input.ts';
import { ACCOUNT_ORDER, selectAccounts, type AccountFilter } from './account-list-store.ts';
import { actorIdOf, assertNotSelf, createFindManagedAccount } from './administrator.ts';
import type { Account } from '../../principal/account.ts';
import type { Call, Principal } from '../../principal/principal.ts';
import { canClaimUsername } from '../../tenancy/claim-username.ts';

export { ACCOUNT_ORDER };

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

/** The new account in the transaction that creates it. */
export type NewAccount = Pick<LockedAccount, 'tx' | 'account' | 'record'>;

/** The fields of a new account that an administrator chooses. */
type AccountDraft = Pick<
  Account,
  'tenantId' | 'username' | 'name' | 'email' | 'interactive' | 'roles' | 'accountExpiresAt' | 'credentialsExpireAt'
>;

type ChangeWork = (locked: LockedAccount) => Promise<void>;

/**
 * Ends all sessions and access tokens of an account in the caller's transaction. Returns the number of sessions ended.
 */
export type EndSessions = (tx: Statements, account: AccountKey, deadline: Deadline) => Promise<number>;

export type AccountAdministration = ReturnType<typeof createAccountAdministration>;

export function createAccountAdministration(options: {
  readonly database: Database;
  readonly accounts: Pick<AccountStore, 'findInScope'>;
  readonly audit: AuditLog;
  readonly endSessions: EndSessions;
  readonly tenantExists: TenantExists;
  readonly clock: Clock;
}) {
  const { database, accounts, audit, endSessions, tenantExists, clock } = options;
  const find = createFindManagedAccount(accounts);
  const writer = createAccountWriter(database);

  const findOfKind = async (principal: Principal, id: string, interactive: boolean): Promise<Account> => {
    const { account } = await find(principal, id);
    if (account.interactive !== interactive) throw new ServiceError('NOT_FOUND');
    return account;
  };

  /** Returns a function that records an event of an account that the caller administers. */
  const recorder = (emit: (event: AuditEvent) => void, call: Call, account: Account): LockedAccount['record'] => {
    const { tenantId, id: accountId, username } = account;
    const actorId = actorIdOf(call, account);
    return (event, details = {}) => emit({ event, tenantId, accountId, username, actorId, details });
  };

  /** Changes an account within an existing transaction, which must not have locked another account yet. */
  async function changeWithin(
    tx: Statements,
    record: (event: AuditEvent) => void,
    call: Call,
    target: AccountKey,
    work: ChangeWork,
  ): Promise<Account> {
    const account = await writer.lock(tx, target, call.deadline);
    if (!account) throw new ServiceError('NOT_FOUND');
    const now = clock();
    await work({
      tx,
      account,
      now,
      update: (changes) => writer.update(tx, account, changes, now),
      remove: () => writer.remove(tx, account),
      record: recorder(record, call, account),
    });
    if (account.tenantId === undefined && account.interactive && !(await writer.hasActiveSuperAdmin(tx, now))) {
      throw new ServiceError('CONFLICT', { publicMessage: 'The last active SUPER_ADMIN must stay' });
    }
    return (await writer.find(tx, target)) ?? account;
  }

  /**
   * The only way to change an account: one transaction locks its row, changes it and records the audit events. Returns
   * the updated account. Rejects with NOT_FOUND if it does not exist, and with CONFLICT if no active SUPER_ADMIN would
   * remain. Rejects with any error of `work`. After a rejection nothing has changed.
   */
  const change = (call: Call, account: AccountKey, work: ChangeWork): Promise<Account> =>
    audit.commit(call, (tx, record) => changeWithin(tx, record, call, account, work));

  return {
    /** The user with this id within the caller's scope. Throws NOT_FOUND, also for a service account. */
    findUser: (principal: Principal, id: string) => findOfKind(principal, id, true),
    /** The service account with this id within the caller's scope. Throws NOT_FOUND, also for a user. */
    findServiceAccount: (principal: Principal, id: string) => findOfKind(principal, id, false),
    change,
    changeWithin,
    /** Creates an account and runs `also` in the same transaction. Rejects with CONFLICT if the username is taken. */
    async create(
      call: Call,
      draft: AccountDraft,
      passwordHash: string | undefined,
      also?: (created: NewAccount) => Promise<void>,
    ): Promise<Account> {
      const account: Account = {
        ...draft,
        id: newId(),
        disabled: false,
        loginFailedCount: 0,
        lockedUntil: undefined,
        createdAt: clock(),
      };
      try {
        await audit.commit(call, async (tx, emit) => {
          const record = recorder(emit, call, account);
          await addAccount(database, tx, account, passwordHash);
          record('account.created', { roles: account.roles.join() });
          await also?.({ tx, account, record });
        });
        return account;
      } catch (error) {
        if (!(error instanceof DatabaseError) || error.kind !== 'duplicate') throw error;
        const field = account.interactive ? 'username' : 'client id';
        throw new ServiceError('CONFLICT', { publicMessage: `The ${field} is taken`, cause: error });
      }
    },
    /** Returns one page of the accounts of one kind within a scope, newest first. */
    list: (scope: AdminScope, filter: AccountFilter, page: CursorPage) => selectAccounts(database, scope, filter, page),
    /**
     * Disables or enables an account. A disabled account cannot use its credentials. Throws CONFLICT if the caller would
     * disable itself.
     */
    async setDisabled(call: Call, account: Account, disabled: boolean): Promise<Account> {
      if (disabled) assertNotSelf(call, account, 'disable');
      return change(call, account, async (locked) => {
        if (locked.account.disabled === disabled) return;
        await locked.update({ disabled });
        if (disabled) {
          const sessionsEnded = await endSessions(locked.tx, account, call.deadline);
          locked.record('account.disabled', { sessionsEnded });
        } else {
          locked.record('account.enabled');
        }
      });
    },
    tenantExists,
  };
}

/** Creates the handler of an RPC on one user. Finds the user within the caller's scope first. Throws NOT_FOUND. */
export function onUser<Input extends { readonly userId: string }, Output>(
  administration: Pick<AccountAdministration, 'findUser'>,
  handle: (request: Input, call: Call, user: Account) => Promise<Output>,
) {
  return loadThenHandle(({ userId }: Input, call: Call) => administration.findUser(call.principal!, userId), handle);
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
