import type { Precondition } from '../../proto/gen/authservice/business/v1/record.ts';
import type { Statements } from '../platform/db/types.ts';
import { ServiceError } from '../platform/errors.ts';
import { assertVersion } from './precondition.ts';
import { lockRecord, type RecordTable } from './record-store.ts';

export interface Target<Found> {
  readonly table: RecordTable;
  readonly tenantId: string;
  readonly id: string;
  readonly precondition: Precondition | undefined;
  /** Reads the record in the transaction. */
  readonly find: (tx: Statements, tenantId: string, id: string) => Promise<Found | undefined>;
}

/**
 * Increases a record's version, which locks it until the transaction ends. Returns the record with its new version and
 * time of change. Throws NOT_FOUND, or PRECONDITION_FAILED if it has none of the versions that the change requires.
 */
export async function lockForChange<Found extends { readonly version: number }>(
  tx: Statements,
  { table, tenantId, id, precondition, find }: Target<Found>,
  now: number,
): Promise<Found> {
  if (!(await lockRecord(tx, table, tenantId, id, now))) throw new ServiceError('NOT_FOUND');
  const found = await find(tx, tenantId, id);
  if (found === undefined) throw new TypeError('A locked record is gone');
  assertVersion(precondition, found.version - 1);
  return found;
}
