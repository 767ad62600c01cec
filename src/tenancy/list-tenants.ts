import {
  TenantStatus as StatusMessage,
  type ListTenantsRequest,
  type ListTenantsResponse,
} from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Database } from '../db/types.ts';
import { pageInfo, pageOf } from '../paging.ts';
import { createRequestCheck, queryText, type RequestCheck } from '../request-check.ts';
import type { TenantStatus } from './tenant.ts';
import { describeTenants } from './describe-tenants.ts';
import { selectTenants } from './tenant-store.ts';

/** TenancyService.ListTenants. */
export function createListTenants({ database }: { readonly database: Database }) {
  return async (request: ListTenantsRequest): Promise<ListTenantsResponse> => {
    const page = pageOf(request.page);
    const check = createRequestCheck();
    const filter = { query: queryText(check, request.query), status: statusOf(check, request.status) };
    check.demandValid('The tenants cannot be listed');

    const { tenants, total } = await selectTenants(database, filter, page);
    return { tenants: await describeTenants(database, tenants), page: pageInfo(page, total) };
  };
}

const STATUSES = new Map<StatusMessage, TenantStatus | undefined>([
  [StatusMessage.TENANT_STATUS_UNSPECIFIED, undefined],
  [StatusMessage.TENANT_STATUS_ACTIVE, 'ACTIVE'],
  [StatusMessage.TENANT_STATUS_SUSPENDED, 'SUSPENDED'],
]);

function statusOf(check: RequestCheck, status: StatusMessage): TenantStatus | undefined {
  if (!STATUSES.has(status)) check.violate({ message: 'must be a known status', format: 'enum', props: ['status'] });
  return STATUSES.get(status);
}
