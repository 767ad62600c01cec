// Tenants, their login domains and policies.
// Decides: whether an id or a domain is free, and which changes of a policy are valid. What a policy means is decided in `access/policy`.
// States: a tenant is active or suspended. A suspended one accepts no credential of its accounts.
// Tables: login_domains, tenants.
// Routes: /tenants, /tenants/:tenantId, /tenants/:tenantId/{suspend, activate, login-domains, policy},
// /tenants/:tenantId/policy/{preview, history}.
import { TenancyServiceService } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import { createTenantCreation, createGetTenant, createListTenants, createSetTenantStatus } from './tenants.ts';
import { createGetTenantPolicy, createUpdateTenantPolicy, type TenantPolicyDependencies } from './tenant-policy.ts';
import type { AuditHandlers } from '../audit/service.ts';
import { createListTenantPolicyChanges } from './policy-history.ts';
import { createPreviewTenantPolicy, type PreviewPolicyDependencies } from './preview-policy.ts';
import { createSetLoginDomains } from './set-login-domains.ts';

export function tenancyService(
  dependencies: TenantPolicyDependencies & PreviewPolicyDependencies,
  /** The deprecated RPCs, which AuditService has. */
  auditHandlers: AuditHandlers,
): Service<Principal> {
  return implement(TenancyServiceService, {
    createTenant: createTenantCreation(dependencies),
    getTenant: createGetTenant(dependencies),
    listTenants: createListTenants(dependencies),
    suspendTenant: createSetTenantStatus(dependencies, 'SUSPENDED'),
    activateTenant: createSetTenantStatus(dependencies, 'ACTIVE'),
    setLoginDomains: createSetLoginDomains(dependencies),
    getTenantPolicy: createGetTenantPolicy(dependencies),
    updateTenantPolicy: createUpdateTenantPolicy(dependencies),
    previewTenantPolicy: createPreviewTenantPolicy(dependencies),
    listTenantPolicyChanges: createListTenantPolicyChanges(dependencies),
    ...auditHandlers,
  });
}
