// Cases of tenants, audit records and health.
import { AuthorizationService } from '../../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import { HealthService } from '../../../proto/gen/grpc/health/v1/health.ts';
import { RoleServiceService } from '../../../proto/gen/authservice/tenancy/v1/role_service.ts';
import { TenancyServiceService, TenantStatus } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import {
  elsewhere,
  forbidden,
  hidden,
  probes,
  nothing,
  notApplicable,
  own,
  type RestCases,
  type RestRequest,
  rpcCases,
  WHOLE_PAGE,
} from '../probe-case.ts';
import type { Records } from '../records.ts';

const HEALTH = notApplicable('returns the health of the service');

export const HEALTH_ROUTES: RestCases = {
  'GET /health/live': HEALTH,
  'GET /health/ready': HEALTH,
};

export const HEALTH_RPCS = rpcCases(HealthService, {
  check: HEALTH,
  list: HEALTH,
  watch: HEALTH,
});

/** A stream of the own tenant would not end. So each request names a tenant that is not the caller's. */
const toStream = ({ tenant, user, administrator }: Records) => ({
  events: [],
  tenantId: `${tenant}x`,
  accountId: user,
  actorId: administrator,
});

export const AUDIT_ROUTES: RestCases = {
  'GET /audit-records/stream': probes<RestRequest>(
    elsewhere((records) => {
      const { events: _, ...query } = toStream(records);
      return { query };
    }),
  ),
};

const OF_TENANT = probes<{ tenantId: string }>(forbidden(({ tenant }) => ({ tenantId: tenant })));

export const TENANCY_RPCS = rpcCases(TenancyServiceService, {
  createTenant: probes(forbidden(({ tenant }) => ({ tenantId: tenant, name: 'Isolation' }))),
  getTenant: OF_TENANT,
  listTenants: probes(forbidden(() => ({ status: TenantStatus.TENANT_STATUS_UNSPECIFIED }))),
  suspendTenant: OF_TENANT,
  setLoginDomains: probes(forbidden(({ tenant }) => ({ tenantId: tenant, loginDomains: ['isolation.invalid'] }))),
  activateTenant: OF_TENANT,
  getTenantPolicy: probes(hidden(({ tenant }) => ({ tenantId: tenant }))),
  updateTenantPolicy: probes(
    hidden(({ tenant }) => ({
      tenantId: tenant,
      policy: { lockMaxFailures: 3, allowedOrigins: [] },
      updateMask: ['lock_max_failures'],
    })),
  ),
  streamAuditRecords: probes(elsewhere(toStream)),
  // The signature of a head is new each time, so the response for the own tenant is never the same.
  getAuditHead: probes(elsewhere(({ tenant }) => ({ tenantId: tenant }))),
  getStatistics: probes(
    own(() => ({})),
    elsewhere(({ tenant }) => ({ tenantId: tenant })),
  ),
  listMyAuditRecords: probes(own(() => WHOLE_PAGE)),
  listAuditRecords: probes(
    own(() => ({ ...WHOLE_PAGE, events: [] })),
    elsewhere(({ tenant }) => ({ events: [], tenantId: tenant })),
    nothing(({ user }) => ({ events: [], accountId: user })),
    nothing(({ administrator }) => ({ events: [], actorId: administrator })),
  ),
});

const NO_ROLE = { permissions: [], inherits: [] };
const CHANGE = { role: { ...NO_ROLE, description: 'x' }, updateMask: ['description'] };

export const ROLE_RPCS = rpcCases(RoleServiceService, {
  listRoles: probes(
    own(() => WHOLE_PAGE),
    elsewhere(({ tenant }) => ({ ...WHOLE_PAGE, tenantId: tenant })),
    nothing(({ mark }) => ({ query: mark })),
  ),
  createRole: probes(elsewhere(({ tenant }) => ({ ...NO_ROLE, name: 'ISOLATION', tenantId: tenant }))),
  getRole: probes(
    hidden(({ role }) => ({ name: role })),
    elsewhere(({ tenant }) => ({ name: 'SALES', tenantId: tenant })),
  ),
  updateRole: probes(
    hidden(({ role }) => ({ ...CHANGE, name: role })),
    elsewhere(({ tenant }) => ({ ...CHANGE, name: 'SALES', tenantId: tenant })),
  ),
  deleteRole: probes(
    hidden(({ role }) => ({ name: role })),
    elsewhere(({ tenant }) => ({ name: 'SALES', tenantId: tenant })),
  ),
});

export const ENVOY_RPCS = rpcCases(AuthorizationService, {
  check: notApplicable('takes a credential, from trusted gateways only'),
});
