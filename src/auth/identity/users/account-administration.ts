// Finds, creates, changes and lists the accounts that an administrator manages: users and service accounts.
import type { Clock, Deadline } from '../../../platform/clock.ts';
import { DatabaseError } from '../../../platform/db/errors.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { CursorPage } from '../../../platform/db/query/page.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database, Reader, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { AuditEventName } from '../../audit/trail/audit-events.ts';
import type { AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';
import { createAccountWriter, type AccountChanges, type AccountKey, type AccountStore } from '../account-store.ts';
import { endedInvitation, endsMailTokens } from '../invitation/ended-invitation.ts';
import type { TenantExists } from './account-input.ts';
import { addAccount, takenName, type SelectReservedNames } from './add-account.ts';
import {
  ACCOUNT_ORDER,
  countByRoles,
  selectAccounts,
  selectRoleLists,
  type AccountFilter,
} from './account-list-store.ts';
import { isPast } from '../authentication/eligibility.ts';
import { actorIdOf, assertCanAdminister, assertNotSelf, createFindManagedAccount } from './administrator.ts';
import { NO_FACTORS, type Account, type StoredAccount } from '../../access/account.ts';
import type { DefinitionsReader } from '../../access/roles/definitions.ts';
import type { Call, Principal } from '../../access/principal.ts';
import { endMailTokens } from '../../mail/mail-tokens.ts';
import type { Revocations } from '../../token/revocations.ts';
import type { HeldPermissions } from '../../access/roles/rights.ts';
import { holdDefinitions } from '../../tenancy/lock-tenant.ts';
import { assertCanTakeOver, assertHoldable } from './give-roles.ts';

export { ACCOUNT_ORDER };

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
type AccountDraft = Pick<
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

type ChangeWork = (locked: LockedAccount) => Promise<void>;

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

export type AccountAdministration = ReturnType<typeof createAccountAdministration>;

export function createAccountAdministration(options: {
  readonly database: Database;
  readonly definitions: DefinitionsReader;
  readonly accounts: Pick<AccountStore, 'findInScope'>;
  readonly audit: AuditLog;
  readonly endSessions: EndSessions;
  /** Locks a session, which the transaction may change, until the transaction ends. */
  readonly holdSession: (tx: Statements, session: { tenantId: string | undefined; id: string }) => Promise<unknown>;
  readonly revocations: Pick<Revocations, 'setStopped'>;
  readonly tenantExists: TenantExists;
  readonly selectReservedNames: SelectReservedNames;
  readonly clock: Clock;
}) {
  const { database, definitions, accounts, audit, endSessions, holdSession, revocations, tenantExists, clock } =
    options;
  const find = createFindManagedAccount(accounts);
  const writer = createAccountWriter(database, definitions);

  const findOfKind = async (principal: Principal, id: string, interactive: boolean): Promise<Account> => {
    const { account } = await find(principal, id);
    if (account.interactive !== interactive) throw new ServiceError('NOT_FOUND');
    return account;
  };

  /** Returns a function that records an event of an account that the caller administers. */
  const recorder = (emit: (event: AuditEvent) => void, call: Call, account: StoredAccount): LockedAccount['record'] => {
    const { tenantId, id: accountId, username } = account;
    const actorId = actorIdOf(call, account);
    return (event, details = {}) => emit({ event, tenantId, accountId, username, actorId, details });
  };

  /**
   * Locks what a change depends on, always in the same order: the definitions of the tenant, then the caller and the account by
   * their ids. Nothing of it can change until the transaction ends, so no parallel change gets around the decision. Throws
   * NOT_FOUND, and PERMISSION_DENIED if the account holds a permission that the caller lacks, and is not the caller's own.
   */
  async function lockBoth(tx: Statements, call: Call, target: AccountKey) {
    if (target.tenantId !== undefined) await holdDefinitions(database, tx, target.tenantId);
    const { account: caller, sessionId } = call.principal!;
    const isOwn = caller.id === target.id;
    // Locking an account without a tenant locks all of them.
    const isFirst = target.tenantId !== undefined && (caller.tenantId === undefined || caller.id < target.id);
    const early = !isOwn && isFirst ? await call.recheck(tx) : undefined;
    const account = await writer.lock(tx, target, call.deadline);
    if (!account) throw new ServiceError('NOT_FOUND');
    // Before the check, which shares the lock of the session: a change of that lock would wait in a circle with others.
    if (isOwn && sessionId !== undefined) await holdSession(tx, { tenantId: caller.tenantId, id: sessionId });
    // Also for the own account: a call that began before it was stopped must not start it again.
    const { permissions } = (early ?? (await call.recheck(tx)))!.account.rights;
    if (!isOwn) {
      assertCanAdminister(call.principal!, account);
      assertCanTakeOver(permissions, account.rights.permissions);
    }
    return { account, actor: permissions };
  }

  /** Changes an account within an existing transaction, which must not have locked another account yet. */
  async function changeWithin(
    tx: Statements,
    record: (event: AuditEvent) => void,
    call: Call,
    target: AccountKey,
    work: ChangeWork,
  ): Promise<Account> {
    return applyChange(tx, record, call, await lockBoth(tx, call, target), work);
  }

  /** Applies a change to an account that is locked. */
  async function applyChange(
    tx: Statements,
    record: (event: AuditEvent) => void,
    call: Call,
    { account, actor }: Pick<LockedAccount, 'account' | 'actor'>,
    work: ChangeWork,
  ): Promise<Account> {
    const now = clock();
    let endsTokens = false;
    await work({
      tx,
      actor,
      account,
      now,
      async update(changes) {
        endsTokens ||= endsMailTokens(account, changes);
        await writer.update(tx, account, { ...changes, ...endedInvitation(account, changes, now) }, now);
      },
      async remove() {
        endsTokens = true;
        await writer.remove(tx, account);
      },
      guard: () => writer.guard(tx, account),
      record: recorder(record, call, account),
    });
    if (endsTokens) await endMailTokens(tx, account);
    if (account.tenantId === undefined && account.interactive && !(await writer.hasActiveSuperAdmin(tx, now))) {
      throw new ServiceError('CONFLICT', { publicMessage: 'The last active SUPER_ADMIN must stay' });
    }
    const changed = await writer.find(tx, account);
    const isStopped = !isUsable(changed, now);
    if (isStopped === isUsable(account, now)) await revocations.setStopped(tx, 'account', account.id, isStopped);
    return changed ?? account;
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
    /**
     * Changes an account for its owner, who has no session but a token of a mail. `work` ends the token after the account is
     * locked, so that of parallel calls one succeeds; it throws if the token is not valid. Rejects with MAIL_TOKEN_INVALID if the
     * account was deleted: its tokens have ended.
     */
    async changeByToken(
      tx: Statements,
      record: (event: AuditEvent) => void,
      call: Call,
      target: AccountKey,
      work: ChangeWork,
    ): Promise<Account> {
      if (target.tenantId !== undefined) await holdDefinitions(database, tx, target.tenantId);
      const account = await writer.lock(tx, target, call.deadline);
      if (!account) throw new ServiceError('MAIL_TOKEN_INVALID');
      return applyChange(tx, record, call, { account, actor: account.rights.permissions }, work);
    },
    /** Locks an account in a transaction that ends its sessions, or issues or revokes its keys. See lockBoth. */
    lockForChange: async (tx: Statements, call: Call, target: AccountKey): Promise<Account> =>
      (await lockBoth(tx, call, target)).account,
    /**
     * Creates an account and runs `also` in the same transaction. Rejects with CONFLICT if the username is taken, with
     * VALIDATION_ERROR if a role does not exist, and with PERMISSION_DENIED if the caller lacks a permission of the roles.
     */
    async create(
      call: Call,
      draft: AccountDraft,
      passwordHash: string | undefined,
      also?: (created: NewAccount) => Promise<void>,
    ): Promise<Account> {
      const stored: StoredAccount = {
        ...draft,
        id: newId(),
        disabled: false,
        loginFailedCount: 0,
        lockedUntil: undefined,
        ...NO_FACTORS,
        createdAt: clock(),
      };
      try {
        return await audit.commit(call, async (tx, emit) => {
          const record = recorder(emit, call, stored);
          if (stored.tenantId !== undefined) await holdDefinitions(database, tx, stored.tenantId);
          const actor = (await call.recheck(tx))!.account.rights.permissions;
          await assertHoldable(tx, definitions, stored, actor);
          await addAccount(options, tx, stored, passwordHash);
          const account = (await writer.find(tx, stored))!;
          record('account.created', {
            roles: account.roles.join(),
            ...(account.resourceServer && { resourceServer: 'true' }),
          });
          await also?.({ tx, account, record });
          return account;
        });
      } catch (error) {
        if (!(error instanceof DatabaseError) || error.kind !== 'duplicate') throw error;
        throw takenName(stored, error);
      }
    },
    /** Returns one page of the accounts of one kind within a scope, newest first. */
    list: (scope: AdminScope, filter: AccountFilter, page: CursorPage) =>
      selectAccounts(database, definitions, scope, filter, page),
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
          const sessionsEnded = await endSessions(locked.tx, account, call.deadline, locked.record);
          locked.record('account.disabled', { sessionsEnded });
        } else {
          locked.record('account.enabled');
        }
      });
    },
    countByRoles: (scope: AdminScope, reader: Reader) => countByRoles(database, scope, reader),
    selectRoleLists,
    tenantExists,
    definitions,
  };
}

/** Whether the access tokens of an account are accepted, if its tenant's are. */
function isUsable(account: StoredAccount | undefined, now: number): boolean {
  return account !== undefined && !account.disabled && !isPast(account.accountExpiresAt, now);
}

/** Creates the handler of an RPC on one user. Finds the user within the caller's scope first. Throws NOT_FOUND. */
export function onUser<Input extends { readonly userId: string }, Output>(
  administration: Pick<AccountAdministration, 'findUser'>,
  handle: (request: Input, call: Call, user: Account) => Promise<Output>,
) {
  return loadThenHandle(({ userId }: Input, call: Call) => administration.findUser(call.principal!, userId), handle);
}
