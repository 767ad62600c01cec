import type { Database } from '../../db/types.ts';
import type { Page } from '../../db/query/page.ts';
import type { Account } from '../../principal/account.ts';
import { selectAccounts, type AccountFilter } from './account-list-store.ts';
import type { AdminScope } from '../../db/query/tenant-scope.ts';

/** Returns one page of the accounts of one kind within a scope, newest first. */
export type ListAccounts = (
  scope: AdminScope,
  filter: AccountFilter,
  page: Page,
) => Promise<{ readonly accounts: readonly Account[]; readonly total: number }>;

export function createListAccounts(database: Database): ListAccounts {
  return (scope, filter, page) => selectAccounts(database, scope, filter, page);
}
