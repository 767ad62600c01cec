// Tenants, what happened in them, and the state of the service itself.
import { AuthorizationService } from '../../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import { HealthService } from '../../../proto/gen/grpc/health/v1/health.ts';
import { TenancyServiceService, TenantStatus } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { elsewhere, forbidden, line, nothing, open, own } from '../line.ts';
import type { RestLines } from '../rest-request.ts';
import { rpcLines } from '../rpc-line.ts';

const HEALTH = 'tells how the service is';

export const HEALTH_ROUTES: RestLines = { 'GET /health/live': open(HEALTH), 'GET /health/ready': open(HEALTH) };

export const HEALTH_RPCS = rpcLines(HealthService, { check: open(HEALTH), list: open(HEALTH), watch: open(HEALTH) });

const ofTenant = line<{ path: { tenantId: string } }>(forbidden(({ tenant }) => ({ path: { tenantId: tenant } })));

export const TENANT_ROUTES: RestLines = {
  'GET /tenants': line(forbidden(() => ({}))),
  'POST /tenants': line(forbidden(({ tenant }) => ({ body: { tenantId: tenant, name: 'Isolation' } }))),
  'GET /tenants/{tenantId}': ofTenant,
  'POST /tenants/{tenantId}/suspend': ofTenant,
  'POST /tenants/{tenantId}/activate': ofTenant,
  'PUT /tenants/{tenantId}/login-domains': line(
    forbidden(({ tenant }) => ({ path: { tenantId: tenant }, body: { loginDomains: [] } })),
  ),
  'GET /audit-records': line(
    own(() => ({ query: { perPage: '100' } })),
    elsewhere(({ tenant }) => ({ query: { tenantId: tenant } })),
    nothing(({ user }) => ({ query: { accountId: user } })),
    nothing(({ administrator }) => ({ query: { actorId: administrator } })),
  ),
};

export const TENANCY_RPCS = rpcLines(TenancyServiceService, {
  createTenant: line(forbidden(({ tenant }) => ({ tenantId: tenant, name: 'Isolation' }))),
  getTenant: line(forbidden(({ tenant }) => ({ tenantId: tenant }))),
  listTenants: line(forbidden(() => ({ status: TenantStatus.TENANT_STATUS_UNSPECIFIED }))),
  suspendTenant: line(forbidden(({ tenant }) => ({ tenantId: tenant }))),
  setLoginDomains: line(forbidden(({ tenant }) => ({ tenantId: tenant, loginDomains: [] }))),
  activateTenant: line(forbidden(({ tenant }) => ({ tenantId: tenant }))),
  listAuditRecords: line(
    own(() => ({ page: { page: 1, perPage: 100 }, events: [] })),
    elsewhere(({ tenant }) => ({ events: [], tenantId: tenant })),
    nothing(({ user }) => ({ events: [], accountId: user })),
    nothing(({ administrator }) => ({ events: [], actorId: administrator })),
  ),
});

export const ENVOY_RPCS = rpcLines(AuthorizationService, {
  check: open('takes a credential, from trusted gateways only'),
});
