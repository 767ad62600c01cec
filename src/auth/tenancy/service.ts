// Tenants, their login domains, and reading the audit log.
import { TenancyServiceService } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../principal/principal.ts';
import { createTenantCreation, createGetTenant, createListTenants, createSetTenantStatus } from './tenants.ts';
import { createGetTenantPolicy, createUpdateTenantPolicy, type TenantPolicyDependencies } from './tenant-policy.ts';
import { createGetStatistics, type StatisticsDependencies } from '../audit/get-statistics.ts';
import { createListMyAuditRecords } from '../audit/list-my-audit-records.ts';
import { createGetAuditHead, type AuditHeadDependencies } from '../audit/get-audit-head.ts';
import { createStreamAuditRecords, type StreamAuditRecordsDependencies } from '../audit/stream-audit-records.ts';
import { createListAuditRecords } from '../audit/list-audit-records.ts';
import { createSetLoginDomains } from './set-login-domains.ts';

export function tenancyService(
  dependencies: TenantPolicyDependencies &
    StatisticsDependencies &
    AuditHeadDependencies &
    StreamAuditRecordsDependencies,
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
    listAuditRecords: createListAuditRecords(dependencies),
    streamAuditRecords: createStreamAuditRecords(dependencies),
    getAuditHead: createGetAuditHead(dependencies),
    getStatistics: createGetStatistics(dependencies),
    listMyAuditRecords: createListMyAuditRecords(dependencies),
  });
}
