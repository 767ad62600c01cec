import type { Tenant as TenantMessage } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Statements } from '../../platform/db/types.ts';
import { selectDomainsOf } from './login-domain-store.ts';
import type { Tenant } from './tenant.ts';
import { tenantMessage } from './tenant-message.ts';

/** Converts tenants with their login domains to proto messages, in the same order. */
export async function describeTenants(db: Statements, tenants: readonly Tenant[]): Promise<TenantMessage[]> {
  const owned = Map.groupBy(
    await selectDomainsOf(
      db,
      tenants.map(({ id }) => id),
    ),
    ({ tenantId }) => tenantId,
  );
  return tenants.map((tenant) =>
    tenantMessage(
      tenant,
      (owned.get(tenant.id) ?? []).map(({ domain }) => domain),
    ),
  );
}
