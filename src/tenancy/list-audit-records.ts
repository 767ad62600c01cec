import { Permission } from '../../proto/gen/authservice/access/v1/access.ts';
import type {
  AuditRecord as AuditMessage,
  ListAuditRecordsRequest,
  ListAuditRecordsResponse,
} from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { AuditRecord, FindAuditRecords } from '../audit/find-audit-records.ts';
import { isId } from '../db/ids.ts';
import type { AdminScope } from '../db/tenant-scope.ts';
import { ServiceError } from '../errors.ts';
import { pageInfo, pageOf } from '../paging.ts';
import type { Principal } from '../principal.ts';
import { createRequestCheck, type RequestCheck } from '../request-check.ts';
import type { Call } from '../rpc/types.ts';
import { isTenantId } from './tenant.ts';

const MAX_EVENTS = 50;

/** TenancyService.ListAuditRecords. */
export function createListAuditRecords({ findAuditRecords }: { readonly findAuditRecords: FindAuditRecords }) {
  return async (request: ListAuditRecordsRequest, call: Call): Promise<ListAuditRecordsResponse> => {
    const page = pageOf(request.page);
    const check = createRequestCheck();
    if (request.events.length > MAX_EVENTS) {
      const params = { maximum: MAX_EVENTS };
      check.violate({ message: `must be at most ${MAX_EVENTS}`, format: 'maxItems', props: ['events'], params });
    }
    const filter = {
      scope: readableScope(check, call.principal!, request.tenantId),
      events: request.events,
      accountId: idOf(check, 'accountId', request.accountId),
      actorId: idOf(check, 'actorId', request.actorId),
      from: check.time('from', request.from),
      until: check.time('until', request.until),
    };
    check.demandValid('The audit records cannot be listed');

    const { records, total } = await findAuditRecords(filter, page);
    return { records: records.map(auditMessage), page: pageInfo(page, total) };
  };
}

/** Whose records the caller reads: its own tenant's; who manages tenants, those of the one it asks for or of all. */
function readableScope(
  check: RequestCheck,
  { account, permissions }: Principal,
  requested: string | undefined,
): AdminScope {
  if (account.tenantId !== undefined) return { everyTenant: false, tenantId: account.tenantId };
  if (!permissions.has(Permission.PERMISSION_MANAGE_TENANTS)) throw new ServiceError('PERMISSION_DENIED');
  if (requested !== undefined && !isTenantId(requested)) {
    check.violate({ message: 'must be a tenant id', format: 'pattern', props: ['tenantId'] });
  }
  return requested === undefined ? { everyTenant: true } : { everyTenant: false, tenantId: requested };
}

function idOf(check: RequestCheck, field: string, value: string | undefined): string | undefined {
  if (value !== undefined && !isId(value)) check.violate({ message: 'must be an id', format: 'uuid', props: [field] });
  return value;
}

function auditMessage(record: AuditRecord): AuditMessage {
  const { id, tenantId, at, event, accountId, username, actorId, clientAddress, requestId, details } = record;
  return {
    id,
    ...(tenantId !== undefined && { tenantId }),
    at: new Date(at),
    event,
    ...(accountId !== undefined && { accountId }),
    ...(username !== undefined && { username }),
    ...(actorId !== undefined && { actorId }),
    clientAddress,
    requestId,
    details,
  };
}
