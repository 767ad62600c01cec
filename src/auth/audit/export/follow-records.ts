// The audit records in the order of their seals, for jobs that process each one.
import type { Database, Statements } from '../../../platform/db/types.ts';
import { findCursor, storeCursor } from './audit-cursor-store.ts';
import type { AuditFilter } from '../trail/audit-filter.ts';
import type { AuditRecord } from '../trail/audit-store.ts';
import { selectRecords, selectSealsBetween } from './follow-record-store.ts';
import { lastSequence } from '../seals/seal-store.ts';
import { readSealedRecords, type PlacedRecord } from '../seals/sealed-record-store.ts';

export { auditRecordJson } from '../trail/audit-message.ts';
export type { ShownAuditRecord as AuditRecord } from '../trail/audit-store.ts';
export type { PlacedRecord as SealedRecord } from '../seals/sealed-record-store.ts';

export type FollowedRecords = ReturnType<typeof createFollowedRecords>;

const EVERY_RECORD: AuditFilter = {
  scope: { everyTenant: true },
  events: [],
  accountId: undefined,
  actorId: undefined,
  from: undefined,
  until: undefined,
};

export function createFollowedRecords(database: Database) {
  return {
    /** Returns the records after a place in the order, at most `limit`. */
    async after(db: Database, sequence: number, limit: number): Promise<readonly PlacedRecord[]> {
      for (let after = Math.max(0, sequence); ;) {
        const { records, through } = await readSealedRecords(db, EVERY_RECORD, { after, size: limit });
        // The retention can have removed all records of a read.
        if (records.length > 0 || through === after) return records;
        after = through;
      }
    },
    /** Returns the last place in the order; 0 if there is none. */
    last: (db: Statements) => lastSequence(db, database, 'new'),
    /** Returns the seals whose last record is after a place and not after another one, in the order of each chain. */
    seals: (after: number, through: number) => selectSealsBetween(database, after, through),
    /** Returns the records with these ids that still exist. */
    find: (records: readonly Pick<AuditRecord, 'tenantId' | 'id'>[]) => selectRecords(database, database, records),
    /** Returns the place up to which a job has processed the records. */
    cursorOf: (job: string) => findCursor(database, job),
    /** Moves that place in the transaction of the job's work. Returns false if another process has moved it. */
    moveCursor: storeCursor,
  };
}
