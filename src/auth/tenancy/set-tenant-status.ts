import type {
  ActivateTenantRequest,
  ActivateTenantResponse,
  SuspendTenantRequest,
  SuspendTenantResponse,
} from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { describeTenants } from './describe-tenants.ts';
import { existingTenant } from './get-tenant.ts';
import type { TenantStatus } from './tenant.ts';
import { updateTenantStatus } from './tenant-store.ts';

export interface SetTenantStatusDependencies {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/**
 * TenancyService.SuspendTenant. Every credential check reads the status, so all credentials of the tenant stop working
 * with the commit.
 */
export function createSuspendTenant(options: SetTenantStatusDependencies) {
  return loadThenHandle(
    ({ tenantId }: SuspendTenantRequest) => existingTenant(options.database, tenantId),
    (_request, call, { id }): Promise<SuspendTenantResponse> => setStatus(options, id, 'SUSPENDED', call),
  );
}

/** TenancyService.ActivateTenant. */
export function createActivateTenant(options: SetTenantStatusDependencies) {
  return loadThenHandle(
    ({ tenantId }: ActivateTenantRequest) => existingTenant(options.database, tenantId),
    (_request, call, { id }): Promise<ActivateTenantResponse> => setStatus(options, id, 'ACTIVE', call),
  );
}

const EVENTS = { SUSPENDED: 'tenant.suspended', ACTIVE: 'tenant.activated' } as const;

async function setStatus(
  { database, audit, clock }: SetTenantStatusDependencies,
  id: string,
  status: TenantStatus,
  call: Call,
) {
  const changed = await audit.commit(call, async (tx, record) => {
    if (await updateTenantStatus(database, tx, { id, status }, clock(), call.deadline)) {
      record({ event: EVENTS[status], tenantId: id, actorId: call.principal!.account.id });
    }
    return existingTenant(tx, id);
  });
  const [tenant] = await describeTenants(database, [changed]);
  return { tenant };
}
