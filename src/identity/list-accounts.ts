import type { Database } from '../db/types.ts';
import type { Page } from '../paging.ts';
import type { Principal } from '../principal.ts';
import type { RequestCheck } from '../request-check.ts';
import { isTenantId } from '../tenancy/tenant.ts';
import type { Account } from './account.ts';
import { selectAccounts, type AccountFilter } from './account-list-store.ts';
import type { AdminScope } from '../db/tenant-scope.ts';
import { getAdminScope } from './administrator.ts';

/** One page of the accounts of one kind within scope, newest first. */
export type ListAccounts = (
  scope: AdminScope,
  filter: AccountFilter,
  page: Page,
) => Promise<{ readonly accounts: readonly Account[]; readonly total: number }>;

export function createListAccounts(database: Database): ListAccounts {
  return (scope, filter, page) => selectAccounts(database, scope, filter, page);
}

/** An administrator's scope, narrowed to one tenant where it reaches all and asks for that. */
export function narrowScope(check: RequestCheck, principal: Principal, tenantId: string | undefined): AdminScope {
  const scope = getAdminScope(principal);
  if (!scope.everyTenant || tenantId === undefined) return scope;
  if (!isTenantId(tenantId)) check.violate({ message: 'must be a tenant id', format: 'pattern', props: ['tenantId'] });
  return { everyTenant: false, tenantId };
}
