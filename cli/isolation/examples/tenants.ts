// Examples of tenants, their roles and audit records, and of standard services.
import { AuditExportFormat, AuditServiceService } from '../../../proto/gen/authservice/audit/v1/audit_service.ts';
import { RoleServiceService } from '../../../proto/gen/authservice/tenancy/v1/role_service.ts';
import { TenancyServiceService, TenantStatus } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { AuthorizationService } from '../../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import { HealthService } from '../../../proto/gen/grpc/health/v1/health.ts';
import { examplesOf } from '../example.ts';
import { elsewhere, WHOLE_PAGE } from '../probe-case.ts';
import type { Records } from '../records.ts';
import { roleNameOf } from './values.ts';

export const HEALTH_REASON = 'returns the health of the service';
const health = { request: () => ({ service: '' }), notApplicable: HEALTH_REASON };

export const HEALTH = examplesOf(HealthService, { check: health, list: health, watch: health });

export const ENVOY = examplesOf(AuthorizationService, {
  check: { request: () => ({}), notApplicable: 'takes a credential, from trusted gateways only' },
});

/** A stream of the own tenant would not end. So each request names a tenant that is not the caller's. */
export const toStream = ({ tenant, user, administrator, session, mark }: Records) => ({
  events: [],
  tenantId: `${tenant}x`,
  accountId: user,
  actorId: administrator,
  address: '127.0.0.1',
  sessionId: session,
  requestId: mark,
});

/** An export has new MACs each time. */
const toExport = (records: Records) => ({
  ...toStream(records),
  format: AuditExportFormat.AUDIT_EXPORT_FORMAT_NDJSON,
});

const ofTenant = ({ tenant }: Records) => ({ tenantId: tenant });

const auditTrail = {
  streamAuditRecords: { request: toStream, probes: [elsewhere(toStream)] },
  // The signature of a head is new each time, so the response for the own tenant is never the same.
  getAuditHead: { request: () => ({}), probes: [elsewhere(ofTenant)] },
  getStatistics: () => ({}),
  listMyAuditRecords: () => WHOLE_PAGE,
  listAuditRecords: {
    request: () => ({ ...WHOLE_PAGE, events: [] }),
    filters: [
      ({ user }: Records) => ({ accountId: user }),
      ({ administrator }: Records) => ({ actorId: administrator }),
      ({ user }: Records) => ({ account: user }),
      ({ administrator }: Records) => ({ causedBy: administrator }),
      ({ session }: Records) => ({ sessionId: session }),
    ],
    exact: ['account', 'causedBy', 'address', 'requestId'] as const,
  },
};

export const AUDIT = examplesOf(AuditServiceService, {
  ...auditTrail,
  exportAuditRecords: { request: toExport, probes: [elsewhere(toExport)] },
  getAuditRecord: ({ auditRecord }) => ({ auditRecordId: auditRecord }),
});

export const TENANCY = examplesOf(TenancyServiceService, {
  createTenant: (records) => ({ ...ofTenant(records), name: 'Isolation' }),
  getTenant: ofTenant,
  listTenants: () => ({ status: TenantStatus.TENANT_STATUS_UNSPECIFIED }),
  suspendTenant: ofTenant,
  setLoginDomains: (records) => ({ ...ofTenant(records), loginDomains: ['isolation.invalid'] }),
  activateTenant: ofTenant,
  getTenantPolicy: ofTenant,
  updateTenantPolicy: (records) => ({
    ...ofTenant(records),
    policy: { lockMaxFailures: 3, allowedOrigins: [] },
    updateMask: ['lock_max_failures'],
  }),
  previewTenantPolicy: (records) => ({
    ...ofTenant(records),
    policy: { lockMaxFailures: 3, allowedOrigins: [] },
    updateMask: ['lock_max_failures'],
  }),
  listTenantPolicyChanges: (records) => ({ ...ofTenant(records), ...WHOLE_PAGE }),
  ...auditTrail,
});

const NO_ROLE = { permissions: [], inherits: [] };
const ofRole = ({ role }: Records) => ({ name: role });

export const ROLES = examplesOf(RoleServiceService, {
  listRoles: () => WHOLE_PAGE,
  createRole: ({ mark }) => ({ ...NO_ROLE, name: roleNameOf(mark) }),
  getRole: ofRole,
  updateRole: (records) => ({
    ...ofRole(records),
    role: { ...NO_ROLE, description: 'x' },
    updateMask: ['description'],
  }),
  deleteRole: ofRole,
});
