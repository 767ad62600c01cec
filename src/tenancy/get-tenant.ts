import type { GetTenantRequest, GetTenantResponse } from '../../proto/gen/tenancy/v1/tenancy_service.ts';
import type { Statements } from '../db/types.ts';
import { ServiceError } from '../errors.ts';
import { isTenantId, type Tenant } from './tenant.ts';
import { tenantMessage } from './tenant-message.ts';
import { findTenant } from './tenant-store.ts';

/** TenancyService.GetTenant. */
export function createGetTenant({ database }: { readonly database: Statements }) {
  return async ({ tenantId }: GetTenantRequest): Promise<GetTenantResponse> => ({
    tenant: tenantMessage(await existingTenant(database, tenantId)),
  });
}

/** Throws NOT_FOUND. */
export async function existingTenant(db: Statements, id: string): Promise<Tenant> {
  const tenant = isTenantId(id) ? await findTenant(db, id) : undefined;
  if (!tenant) throw new ServiceError('NOT_FOUND');
  return tenant;
}
