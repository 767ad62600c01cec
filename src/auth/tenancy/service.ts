// Tenants, their login domains, and reading the audit log.
import { TenancyServiceService } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { FindAuditRecords } from '../audit/find-audit-records.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import { createCreateTenant } from './create-tenant.ts';
import { createGetTenant } from './get-tenant.ts';
import { createListAuditRecords } from './list-audit-records.ts';
import { createListTenants } from './list-tenants.ts';
import { createSetLoginDomains } from './set-login-domains.ts';
import { createActivateTenant, createSuspendTenant, type SetTenantStatusDependencies } from './set-tenant-status.ts';

export type TenancyDependencies = SetTenantStatusDependencies & { readonly findAuditRecords: FindAuditRecords };

export function tenancyService(dependencies: TenancyDependencies): Service {
  return implement(TenancyServiceService, {
    createTenant: createCreateTenant(dependencies),
    getTenant: createGetTenant(dependencies),
    listTenants: createListTenants(dependencies),
    suspendTenant: createSuspendTenant(dependencies),
    activateTenant: createActivateTenant(dependencies),
    setLoginDomains: createSetLoginDomains(dependencies),
    listAuditRecords: createListAuditRecords(dependencies),
  });
}
