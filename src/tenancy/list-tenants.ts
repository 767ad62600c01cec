import type {
  ListTenantsRequest,
  ListTenantsResponse,
} from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Database } from '../db/types.ts';
import { pageInfo, pageOf } from '../rpc/paging.ts';
import { TENANT_STATUS } from './tenant.ts';
import { describeTenants } from './describe-tenants.ts';
import { selectTenants } from './tenant-store.ts';

/** TenancyService.ListTenants. */
export function createListTenants({ database }: { readonly database: Database }) {
  return async (request: ListTenantsRequest): Promise<ListTenantsResponse> => {
    const page = pageOf(request.page);
    const filter = { query: request.query, status: TENANT_STATUS.nameOf(request.status) };
    const { tenants, total } = await selectTenants(database, filter, page);
    return { tenants: await describeTenants(database, tenants), page: pageInfo(page, total) };
  };
}
