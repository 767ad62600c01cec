import {
  AuditActor,
  type ListMyAuditRecordsRequest,
  type ListMyAuditRecordsResponse,
  type OwnAuditRecord,
} from '../../../../proto/gen/authservice/audit/v1/audit_service.ts';
import type { Database } from '../../../platform/db/types.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import type { Call } from '../../access/principal.ts';
import { AUDIT_ORDER, selectRecordsOfAccount } from './audit-list-store.ts';
import type { AuditRecord } from './audit-store.ts';

/** TenancyService.ListMyAuditRecords. */
export function createListMyAuditRecords({ database }: { readonly database: Database }) {
  return async (request: ListMyAuditRecordsRequest, call: Call): Promise<ListMyAuditRecordsResponse> => {
    const page = listPageOf(request, call, AUDIT_ORDER);
    const { account } = call.principal!;
    const found = await selectRecordsOfAccount(database, account, page);
    return { records: found.items.map((record) => ownRecord(record, account.id)), page: listPageInfo(page, found) };
  };
}

/** Recorded instead of an address for what happens on the machine of the service. */
const LOCAL: ReadonlySet<string> = new Set(['local-command', 'bootstrap', 'demo']);

/**
 * Leaves out the address of an administrator. Of an event of another account, leaves out its name and the details, because the
 * caller may no longer be its administrator.
 */
function ownRecord(
  { id, at, event, accountId, actorId, clientAddress, details }: AuditRecord,
  self: string,
): OwnAuditRecord {
  const concernsYou = accountId === self;
  const isOwn = actorId === self || (actorId === undefined && !LOCAL.has(clientAddress));
  return {
    id,
    at: new Date(at),
    event,
    actor: isOwn ? AuditActor.AUDIT_ACTOR_ACCOUNT : AuditActor.AUDIT_ACTOR_ADMINISTRATOR,
    concernsYou,
    ...(isOwn && { clientAddress }),
    ...(concernsYou && { details }),
  };
}
