import { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import type {
  ListAuditRecordsRequest,
  ListAuditRecordsResponse,
} from '../../../../proto/gen/authservice/audit/v1/audit_service.ts';
import { AUDIT_ORDER, selectAuditRecords } from './audit-list-store.ts';
import { AUDIT_RECORD } from './audit-store.ts';
import type { Database } from '../../../platform/db/types.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import type { Call, Principal } from '../../access/principal.ts';
import { timeRange } from '../../../platform/rpc/request-violations.ts';

/** TenancyService.ListAuditRecords. */
export function createListAuditRecords({ database }: { readonly database: Database }) {
  return async (request: ListAuditRecordsRequest, call: Call): Promise<ListAuditRecordsResponse> => {
    const page = listPageOf(request, call, AUDIT_ORDER);
    const { from, end } = timeRange(request.from, request.until, 'until');
    const filter = {
      scope: readableScope(call.principal!, request.tenantId),
      events: request.events,
      accountId: request.accountId,
      actorId: request.actorId,
      from,
      until: end,
    };
    const found = await selectAuditRecords(database, filter, page);
    return { records: found.items.map(AUDIT_RECORD.toMessage), page: listPageInfo(page, found) };
  };
}

/**
 * Returns the tenants whose records the caller may read: its own; with PERMISSION_MANAGE_TENANTS, the requested one or
 * all. Throws TENANT_MISMATCH for another tenant.
 */
export function readableScope({ account, permissions }: Principal, requested: string | undefined): AdminScope {
  const { tenantId } = account;
  if (tenantId === undefined) {
    if (!permissions.has(Permission.PERMISSION_MANAGE_TENANTS)) throw new ServiceError('PERMISSION_DENIED');
    return requested === undefined ? { everyTenant: true } : { everyTenant: false, tenantId: requested };
  }
  if (requested !== undefined && requested !== tenantId) throw new ServiceError('TENANT_MISMATCH');
  return { everyTenant: false, tenantId };
}
