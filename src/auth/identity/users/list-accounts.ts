import type { CursorPage, Found } from '../../../platform/db/query/page.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database } from '../../../platform/db/types.ts';
import type { Account } from '../../principal/account.ts';
import { ACCOUNT_ORDER, selectAccounts, type AccountFilter } from './account-list-store.ts';

export { ACCOUNT_ORDER };

/** Returns one page of the accounts of one kind within a scope, newest first. */
export type ListAccounts = (scope: AdminScope, filter: AccountFilter, page: CursorPage) => Promise<Found<Account>>;

export function createListAccounts(database: Database): ListAccounts {
  return (scope, filter, page) => selectAccounts(database, scope, filter, page);
}
