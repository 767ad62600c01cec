// Cases of tenants, audit records and health.
import { AuthorizationService } from '../../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import { HealthService } from '../../../proto/gen/grpc/health/v1/health.ts';
import { TenancyServiceService, TenantStatus } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { elsewhere, forbidden, probes, nothing, notApplicable, own, type RestCases, rpcCases } from '../probe-case.ts';

const HEALTH = 'returns the health of the service';

export const HEALTH_ROUTES: RestCases = {
  'GET /health/live': notApplicable(HEALTH),
  'GET /health/ready': notApplicable(HEALTH),
};

export const HEALTH_RPCS = rpcCases(HealthService, {
  check: notApplicable(HEALTH),
  list: notApplicable(HEALTH),
  watch: notApplicable(HEALTH),
});

const ofTenant = probes<{ path: { tenantId: string } }>(forbidden(({ tenant }) => ({ path: { tenantId: tenant } })));

export const TENANT_ROUTES: RestCases = {
  'GET /tenants': probes(forbidden(() => ({}))),
  'POST /tenants': probes(forbidden(({ tenant }) => ({ body: { tenantId: tenant, name: 'Isolation' } }))),
  'GET /tenants/{tenantId}': ofTenant,
  'POST /tenants/{tenantId}/suspend': ofTenant,
  'POST /tenants/{tenantId}/activate': ofTenant,
  'PUT /tenants/{tenantId}/login-domains': probes(
    forbidden(({ tenant }) => ({ path: { tenantId: tenant }, body: { loginDomains: [] } })),
  ),
  'GET /audit-records': probes(
    own(() => ({ query: { perPage: '100' } })),
    elsewhere(({ tenant }) => ({ query: { tenantId: tenant } })),
    nothing(({ user }) => ({ query: { accountId: user } })),
    nothing(({ administrator }) => ({ query: { actorId: administrator } })),
  ),
};

export const TENANCY_RPCS = rpcCases(TenancyServiceService, {
  createTenant: probes(forbidden(({ tenant }) => ({ tenantId: tenant, name: 'Isolation' }))),
  getTenant: probes(forbidden(({ tenant }) => ({ tenantId: tenant }))),
  listTenants: probes(forbidden(() => ({ status: TenantStatus.TENANT_STATUS_UNSPECIFIED }))),
  suspendTenant: probes(forbidden(({ tenant }) => ({ tenantId: tenant }))),
  setLoginDomains: probes(forbidden(({ tenant }) => ({ tenantId: tenant, loginDomains: [] }))),
  activateTenant: probes(forbidden(({ tenant }) => ({ tenantId: tenant }))),
  listAuditRecords: probes(
    own(() => ({ page: { page: 1, perPage: 100 }, events: [] })),
    elsewhere(({ tenant }) => ({ events: [], tenantId: tenant })),
    nothing(({ user }) => ({ events: [], accountId: user })),
    nothing(({ administrator }) => ({ events: [], actorId: administrator })),
  ),
});

export const ENVOY_RPCS = rpcCases(AuthorizationService, {
  check: notApplicable('takes a credential, from trusted gateways only'),
});
