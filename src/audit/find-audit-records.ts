import type { Database } from '../db/types.ts';
import type { Page } from '../db/query/page.ts';
import { selectAuditRecords, type AuditFilter, type AuditRecord } from './audit-list-store.ts';

export type { AuditRecord };

/** Returns one page of the audit log, newest first. */
export type FindAuditRecords = (
  filter: AuditFilter,
  page: Page,
) => Promise<{ readonly records: readonly AuditRecord[]; readonly total: number }>;

export function createFindAuditRecords(database: Database): FindAuditRecords {
  return (filter, page) => selectAuditRecords(database, filter, page);
}
