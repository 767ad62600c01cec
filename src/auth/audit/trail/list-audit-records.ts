import type {
  GetAuditRecordRequest,
  GetAuditRecordResponse,
  ListAuditRecordsRequest,
  ListAuditRecordsResponse,
} from '../../../../proto/gen/authservice/audit/v1/audit_service.ts';
import { isId } from '../../../platform/db/ids.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import type { Call } from '../../access/principal.ts';
import { createParseAuditFilter, readableScope, type FindAccountId } from './audit-filter.ts';
import { AUDIT_ORDER, findAuditRecord, selectAuditRecords } from './audit-list-store.ts';
import { auditRecordMessage } from './audit-message.ts';

export interface ListAuditRecordsDependencies {
  readonly database: Database;
  readonly findAccountId: FindAccountId;
}

const NOTHING = { items: [], total: 0, isMinimum: false, next: undefined };

/** AuditService.ListAuditRecords. */
export function createListAuditRecords({ database, findAccountId }: ListAuditRecordsDependencies) {
  const parseFilter = createParseAuditFilter(findAccountId);
  return async (request: ListAuditRecordsRequest, call: Call): Promise<ListAuditRecordsResponse> => {
    const page = listPageOf(request, call, AUDIT_ORDER);
    const filter = await parseFilter(request, call);
    const found = filter ? await selectAuditRecords(database, filter, page) : NOTHING;
    return { records: found.items.map(auditRecordMessage), page: listPageInfo(page, found) };
  };
}

/** AuditService.GetAuditRecord. */
export function createGetAuditRecord({ database }: Pick<ListAuditRecordsDependencies, 'database'>) {
  return async ({ auditRecordId: id }: GetAuditRecordRequest, call: Call): Promise<GetAuditRecordResponse> => {
    const scope = readableScope(call.principal!, undefined);
    const record = isId(id) ? await findAuditRecord(database, scope, id) : undefined;
    if (!record) throw new ServiceError('NOT_FOUND');
    return { record: auditRecordMessage(record) };
  };
}
