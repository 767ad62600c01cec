import {
  TenantStatus as StatusMessage,
  type Tenant as TenantMessage,
} from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Tenant, TenantStatus } from './tenant.ts';

const STATUSES: Readonly<Record<TenantStatus, StatusMessage>> = {
  ACTIVE: StatusMessage.TENANT_STATUS_ACTIVE,
  SUSPENDED: StatusMessage.TENANT_STATUS_SUSPENDED,
};

/** A tenant in the terms of its proto message. */
export function tenantMessage({ id, name, status, createdAt }: Tenant, loginDomains: readonly string[]): TenantMessage {
  return { id, name, status: STATUSES[status], createdAt: new Date(createdAt), loginDomains: [...loginDomains] };
}
