import type { GetTenantRequest, GetTenantResponse } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { isTenantId, type Tenant } from './tenant.ts';
import { describeTenants } from './describe-tenants.ts';
import { findTenant } from './tenant-store.ts';

/** TenancyService.GetTenant. */
export function createGetTenant({ database }: { readonly database: Statements }) {
  return loadThenHandle(
    ({ tenantId }: GetTenantRequest) => existingTenant(database, tenantId),
    async (_request, _call, found): Promise<GetTenantResponse> => {
      const [tenant] = await describeTenants(database, [found]);
      return { tenant };
    },
  );
}

/** Returns the tenant with this id. Throws NOT_FOUND if it does not exist. */
export async function existingTenant(db: Statements, id: string): Promise<Tenant> {
  const tenant = isTenantId(id) ? await findTenant(db, id) : undefined;
  if (!tenant) throw new ServiceError('NOT_FOUND');
  return tenant;
}
