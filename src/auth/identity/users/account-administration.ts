// Finds, creates, changes and lists the accounts that an administrator manages: users and service accounts.
import type { Clock } from '../../../platform/clock.ts';
import { DatabaseError } from '../../../platform/db/errors.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { CursorPage } from '../../../platform/db/query/page.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database, Reader, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';
import { createAccountWriter, type AccountKey, type AccountStore } from '../account-store.ts';
import { endedInvitation, endsMailTokens } from '../invitation/ended-invitation.ts';
import type { TenantExists } from './account-input.ts';
import { addAccount, takenName, type SelectReservedNames } from './add-account.ts';
import { countByRoles, selectAccounts, selectRoleLists, type AccountFilter } from './account-list-store.ts';
import { ACCOUNT_ORDER } from './account-order.ts';
import { isPast, isUsable } from '../authentication/eligibility.ts';
import { actorIdOf, assertCanAdminister, createFindManagedAccount } from './administrator.ts';
import { NO_FACTORS, type Account, type StoredAccount } from '../../access/account.ts';
import type { DefinitionsReader } from '../../access/roles/definitions.ts';
import type { Call, Principal } from '../../access/principal.ts';
import { endMailTokens } from '../../mail/mail-tokens.ts';
import type { Revocations } from '../../token/revocations.ts';
import { holdDefinitions } from '../../tenancy/lock-tenant.ts';
import { assertCanRecover, assertCanTakeOver, assertHoldable } from './give-roles.ts';
import type { AccountDraft, Acting, ChangeWork, EndSessions, LockedAccount, NewAccount } from './locked-account.ts';
import { createSetDisabled } from './set-disabled.ts';
import { refusal } from '../../access/refusals.ts';

export { ACCOUNT_ORDER };

export type { EndSessions, LockedAccount, NewAccount };

export type AccountAdministration = ReturnType<typeof createAccountAdministration>;

export function createAccountAdministration(options: {
  readonly database: Database;
  readonly definitions: DefinitionsReader;
  readonly accounts: Pick<AccountStore, 'findInScope'>;
  readonly audit: AuditLog;
  readonly endSessions: EndSessions;
  /** Locks a session, which the transaction may change, until the transaction ends. */
  readonly holdSession: (tx: Statements, session: { tenantId: string | undefined; id: string }) => Promise<unknown>;
  /** Ends the rows of the sessions of an account that is deleted. */
  readonly endSessionsOfDeleted: (tx: Statements, account: AccountKey, now: number) => Promise<void>;
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
  const recorder = (
    emit: (event: AuditEvent) => void,
    call: Acting,
    account: StoredAccount,
  ): LockedAccount['record'] => {
    const { tenantId, id: accountId, username } = account;
    const actorId = actorIdOf(call, account);
    return (event, details = {}) => emit({ event, tenantId, accountId, username, actorId, details });
  };

  /**
   * Locks what a change depends on, always in the same order: the definitions of the tenant, then the caller and the account by
   * their ids. Nothing of it can change until the transaction ends, so no parallel change gets around the decision. Throws
   * NOT_FOUND, and PERMISSION_DENIED if the account holds a permission that the caller lacks, and is not the caller's own.
   *
   * @param assertMay Decides on the permissions of both, in place of that.
   */
  async function lockBoth(tx: Statements, call: Call, target: AccountKey, assertMay = assertCanTakeOver) {
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
      assertMay(permissions, account.rights.permissions);
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
    call: Acting,
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
        await options.endSessionsOfDeleted(tx, account, now);
      },
      guard: () => writer.guard(tx, account),
      record: recorder(record, call, account),
    });
    if (endsTokens) await endMailTokens(tx, account);
    const wasUsable = isUsable(account, now);
    const isSuperAdmin = account.tenantId === undefined && account.interactive;
    // An account that could not log in before was not the last one that can.
    if (isSuperAdmin && wasUsable && !(await writer.hasActiveSuperAdmin(tx, now))) {
      throw refusal('lastSuperAdmin');
    }
    const changed = await writer.find(tx, account);
    const isStopped = !isUsable(changed, now);
    // The feed was not told of a time to disable the account that has passed.
    if (isStopped === wasUsable || isPast(account.disableAt, now))
      await revocations.setStopped(tx, 'account', account.id, isStopped);
    return changed ?? account;
  }

  /**
   * The only way to change an account: one transaction locks its row, changes it and records the audit events. Returns
   * the updated account. Rejects with NOT_FOUND if it does not exist, and with CONFLICT if no active SUPER_ADMIN would
   * remain. Rejects with any error of `work`. After a rejection nothing has changed.
   */
  const change = (call: Call, account: AccountKey, work: ChangeWork, assertMay = assertCanTakeOver): Promise<Account> =>
    audit.commit(call, async (tx, record) =>
      applyChange(tx, record, call, await lockBoth(tx, call, account, assertMay), work),
    );

  return {
    /** The user with this id within the caller's scope. Throws NOT_FOUND, also for a service account. */
    findUser: (principal: Principal, id: string) => findOfKind(principal, id, true),
    /** The service account with this id within the caller's scope. Throws NOT_FOUND, also for a user. */
    findServiceAccount: (principal: Principal, id: string) => findOfKind(principal, id, false),
    change,
    /** Changes an account as `change` does, for a caller that may only help its user to log in: see canRecover. */
    recover: (call: Call, account: AccountKey, work: ChangeWork) => change(call, account, work, assertCanRecover),
    changeWithin,
    /**
     * Changes an account for its owner, who has a token of a mail or a challenge, or for a job. `work` ends the token after the account is
     * locked, so that of parallel calls one succeeds; it throws if the token is not valid. Rejects with MAIL_TOKEN_INVALID if the account
     * was deleted.
     */
    async changeByToken(
      tx: Statements,
      record: (event: AuditEvent) => void,
      call: Acting,
      target: AccountKey,
      work: ChangeWork,
    ): Promise<Account> {
      if (target.tenantId !== undefined) await holdDefinitions(database, tx, target.tenantId);
      const account = await writer.lock(tx, target, call.deadline);
      if (!account) throw new ServiceError('MAIL_TOKEN_INVALID');
      return applyChange(tx, record, call, { account, actor: account.rights.permissions }, work);
    },
    /** Locks an account in a transaction that issues or revokes its keys. See lockBoth. */
    lockForChange: async (tx: Statements, call: Call, target: AccountKey): Promise<Account> =>
      (await lockBoth(tx, call, target)).account,
    /** Locks an account in a transaction that ends its sessions or grants, as a reset of its factors does. See lockBoth. */
    lockToEndSessions: async (tx: Statements, call: Call, target: AccountKey): Promise<Account> =>
      (await lockBoth(tx, call, target, assertCanRecover)).account,
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
    /** Returns one page of the accounts of one kind within a scope. Default: newest first. */
    list: (scope: AdminScope, filter: AccountFilter, page: CursorPage, order = ACCOUNT_ORDER) =>
      selectAccounts(database, definitions, scope, filter, page, { order, now: clock() }),
    /** Disables or enables an account. */
    setDisabled: createSetDisabled({ change, endSessions }),
    countByRoles: (scope: AdminScope, reader: Reader) => countByRoles(database, scope, reader),
    selectRoleLists,
    tenantExists,
    definitions,
  };
}

/** Creates the handler of an RPC on one user. Finds the user within the caller's scope first. Throws NOT_FOUND. */
export function onUser<Input extends { readonly userId: string }, Output>(
  administration: Pick<AccountAdministration, 'findUser'>,
  handle: (request: Input, call: Call, user: Account) => Promise<Output>,
) {
  return loadThenHandle(({ userId }: Input, call: Call) => administration.findUser(call.principal!, userId), handle);
}
