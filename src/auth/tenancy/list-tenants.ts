import type {
  ListTenantsRequest,
  ListTenantsResponse,
} from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Database } from '../../platform/db/types.ts';
import { listPageInfo, listPageOf } from '../../platform/rpc/paging.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { TENANT_STATUS } from './tenant.ts';
import { describeTenants } from './describe-tenants.ts';
import { selectTenants, TENANT_ORDER } from './tenant-store.ts';

/** TenancyService.ListTenants. */
export function createListTenants({ database }: { readonly database: Database }) {
  return async (request: ListTenantsRequest, call: Call): Promise<ListTenantsResponse> => {
    const page = listPageOf(request, call, TENANT_ORDER);
    const filter = { query: request.query, status: TENANT_STATUS.nameOf(request.status) };
    const found = await selectTenants(database, filter, page);
    return { tenants: await describeTenants(database, found.items), page: listPageInfo(page, found) };
  };
}
