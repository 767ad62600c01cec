import type { Database } from '../db/types.ts';
import type { Page } from '../paging.ts';
import type { Principal } from '../principal.ts';
import type { RequestCheck } from '../request-check.ts';
import { isTenantId } from '../tenancy/tenant.ts';
import type { Account } from './account.ts';
import { selectAccounts, type AccountFilter } from './account-list-store.ts';
import { reachOf, type Reach } from './administrator.ts';

/** One page of the accounts of one kind within reach, newest first. */
export type ListAccounts = (
  reach: Reach,
  filter: AccountFilter,
  page: Page,
) => Promise<{ readonly accounts: readonly Account[]; readonly total: number }>;

export function createListAccounts(database: Database): ListAccounts {
  return (reach, filter, page) => selectAccounts(database, reach, filter, page);
}

/** An administrator's reach, narrowed to one tenant where it reaches all and asks for that. */
export function narrowedReach(check: RequestCheck, principal: Principal, tenantId: string | undefined): Reach {
  const reach = reachOf(principal);
  if (!reach.everyTenant || tenantId === undefined) return reach;
  if (!isTenantId(tenantId)) check.violate({ message: 'must be a tenant id', format: 'pattern', props: ['tenantId'] });
  return { everyTenant: false, tenantId };
}
