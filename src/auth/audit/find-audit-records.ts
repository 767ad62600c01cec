import type { CursorPage, Found } from '../../platform/db/query/page.ts';
import type { Database } from '../../platform/db/types.ts';
import { AUDIT_ORDER, selectAuditRecords, type AuditFilter, type AuditRecord } from './audit-list-store.ts';

export { AUDIT_ORDER, type AuditRecord };

/** Returns one page of the audit log, newest first. */
export type FindAuditRecords = (filter: AuditFilter, page: CursorPage) => Promise<Found<AuditRecord>>;

export function createFindAuditRecords(database: Database): FindAuditRecords {
  return (filter, page) => selectAuditRecords(database, filter, page);
}
