// Finds, creates, changes and lists the accounts that an administrator manages: users and service accounts.
import type { Clock } from '../../../platform/clock.ts';
import type { CursorPage, Found } from '../../../platform/db/query/page.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { createAccountWriter, type AccountStore } from '../account-store.ts';
import type { TenantExists } from './account-input.ts';
import { ACCOUNT_ORDER, selectAccounts, type AccountFilter } from './account-list-store.ts';
import { assertNotSelf, createFindManagedAccount } from './administrator.ts';
import {
  createChangeAccount,
  type ChangeAccount,
  type ChangeAccountWithin,
  type EndSessions,
} from './change-account.ts';
import { createCreateAccount, type CreateAccount } from './create-account.ts';
import type { Account } from '../../principal/account.ts';
import type { Call, Principal } from '../../principal/principal.ts';

export interface AccountAdministration {
  /** The user with this id within the caller's scope. Throws NOT_FOUND, also for a service account. */
  findUser(principal: Principal, id: string): Promise<Account>;
  /** The service account with this id within the caller's scope. Throws NOT_FOUND, also for a user. */
  findServiceAccount(principal: Principal, id: string): Promise<Account>;
  readonly change: ChangeAccount;
  readonly changeWithin: ChangeAccountWithin;
  readonly create: CreateAccount;
  readonly list: ListAccounts;
  /**
   * Disables or enables an account. A disabled account cannot use its credentials. Throws CONFLICT if the caller would
   * disable itself.
   */
  setDisabled(call: Call, account: Account, disabled: boolean): Promise<Account>;
  readonly tenantExists: TenantExists;
}

export function createAccountAdministration(options: {
  readonly database: Database;
  readonly accounts: Pick<AccountStore, 'findInScope'>;
  readonly audit: AuditLog;
  readonly endSessions: EndSessions;
  readonly tenantExists: TenantExists;
  readonly clock: Clock;
}): AccountAdministration {
  const { database, accounts, audit, endSessions, tenantExists, clock } = options;
  const find = createFindManagedAccount(accounts);
  const changeWithin = createChangeAccount({ writer: createAccountWriter(database), clock });
  const change: ChangeAccount = (call, ...args) =>
    audit.commit(call, (tx, record) => changeWithin(tx, record, call, ...args));

  const findOfKind = async (principal: Principal, id: string, interactive: boolean): Promise<Account> => {
    const { account } = await find(principal, id);
    if (account.interactive !== interactive) throw new ServiceError('NOT_FOUND');
    return account;
  };

  return {
    findUser: (principal, id) => findOfKind(principal, id, true),
    findServiceAccount: (principal, id) => findOfKind(principal, id, false),
    change,
    changeWithin,
    create: createCreateAccount({ database, audit, clock }),
    list: createListAccounts(database),
    async setDisabled(call, account, disabled) {
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

export { ACCOUNT_ORDER };

/** Returns one page of the accounts of one kind within a scope, newest first. */
type ListAccounts = (scope: AdminScope, filter: AccountFilter, page: CursorPage) => Promise<Found<Account>>;

function createListAccounts(database: Database): ListAccounts {
  return (scope, filter, page) => selectAccounts(database, scope, filter, page);
}

/** Creates the handler of an RPC on one user. Finds the user within the caller's scope first. Throws NOT_FOUND. */
export function onUser<Input extends { readonly userId: string }, Output>(
  administration: Pick<AccountAdministration, 'findUser'>,
  handle: (request: Input, call: Call, user: Account) => Promise<Output>,
) {
  return loadThenHandle(({ userId }: Input, call: Call) => administration.findUser(call.principal!, userId), handle);
}
