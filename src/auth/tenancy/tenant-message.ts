import type { Tenant as TenantMessage } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { TENANT_STATUS, type Tenant } from './tenant.ts';

/** Converts a tenant to its proto message. */
export function tenantMessage({ id, name, status, createdAt }: Tenant, loginDomains: readonly string[]): TenantMessage {
  return {
    id,
    name,
    status: TENANT_STATUS.valueOf(status),
    createdAt: new Date(createdAt),
    loginDomains: [...loginDomains],
  };
}
