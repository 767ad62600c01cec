// The records of one kind of event, as a list of another service.
import type { PageInfo } from '../../../../proto/gen/authservice/paging/v1/paging.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database } from '../../../platform/db/types.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import type { AuditEventName } from './audit-events.ts';
import { AUDIT_ORDER, selectAuditRecords } from './audit-list-store.ts';

/** A record of the list. */
export interface ListedEvent {
  readonly at: Date;
  /** The account that caused it; absent if none did. */
  readonly by?: { readonly id: string; readonly username: string | undefined };
  readonly details: unknown;
}

const NO_OTHER_FILTER = { accountId: undefined, actorId: undefined, from: undefined, until: undefined };

/** Returns the page of the events that a request asks for, the newest first. */
export async function listEvents(
  database: Database,
  { scope, event }: { readonly scope: AdminScope; readonly event: AuditEventName },
  request: Parameters<typeof listPageOf>[0],
  call: Parameters<typeof listPageOf>[1],
): Promise<{ readonly events: readonly ListedEvent[]; readonly page: PageInfo }> {
  const page = listPageOf(request, call, AUDIT_ORDER);
  const found = await selectAuditRecords(database, { scope, events: [event], ...NO_OTHER_FILTER }, page);
  const events = found.items.map(({ at, actorId: id, actorUsername: username, details }) => ({
    at: new Date(at),
    ...(id !== undefined && { by: { id, username } }),
    details: JSON.parse(details) as unknown,
  }));
  return { events, page: listPageInfo(page, found) };
}
