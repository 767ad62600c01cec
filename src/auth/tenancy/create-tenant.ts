import type {
  CreateTenantRequest,
  CreateTenantResponse,
} from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../../platform/clock.ts';
import { DatabaseError } from '../../platform/db/errors.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { Tenant } from './tenant.ts';
import { tenantMessage } from './tenant-message.ts';
import { insertTenant } from './tenant-store.ts';

/** TenancyService.CreateTenant. */
export function createCreateTenant({ audit, clock }: { readonly audit: AuditLog; readonly clock: Clock }) {
  return async (request: CreateTenantRequest, call: Call): Promise<CreateTenantResponse> => {
    const { tenantId: id, name } = request;
    const tenant: Tenant = { id, name, status: 'ACTIVE', createdAt: clock() };
    try {
      await audit.commit(call, async (tx, record) => {
        await insertTenant(tx, tenant);
        record({ event: 'tenant.created', tenantId: id, actorId: call.principal!.account.id, details: { name } });
      });
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== 'duplicate') throw error;
      throw new ServiceError('CONFLICT', { publicMessage: 'The tenant id is taken', cause: error });
    }
    return { tenant: tenantMessage(tenant, []) };
  };
}
