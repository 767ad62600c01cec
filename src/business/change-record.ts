import type { Precondition } from '../../proto/gen/authservice/business/v1/record.ts';
import type { Statements } from '../platform/db/types.ts';
import { ServiceError } from '../platform/errors.ts';
import type { RecordStore } from './record-store.ts';

export interface Target<Found> {
  readonly tenantId: string;
  readonly id: string;
  readonly precondition: Precondition | undefined;
  readonly store: Pick<RecordStore<never, Found>, 'lock' | 'find'>;
}

/**
 * Increases a record's version, which locks it until the transaction ends. Returns the record with its new version and
 * time of change. Throws NOT_FOUND, or PRECONDITION_FAILED if it has none of the versions that the change requires.
 */
export async function lockForChange<Found extends { readonly version: number }>(
  tx: Statements,
  { store, tenantId, id, precondition }: Target<Found>,
  now: number,
): Promise<Found> {
  if (!(await store.lock(tx, tenantId, id, now))) throw new ServiceError('NOT_FOUND');
  const found = await store.find(tx, tenantId, id);
  if (found === undefined) throw new TypeError('A locked record is gone');
  assertVersion(precondition, found.version - 1);
  return found;
}

/** Throws PRECONDITION_FAILED if the record has none of the required versions. */
export function assertVersion(precondition: Precondition | undefined, version: number): void {
  if (precondition === undefined || precondition.versions.includes(version)) return;
  throw new ServiceError('PRECONDITION_FAILED', { detail: `the record is in version ${version}` });
}

/** Returns the fields of a record that a validated update mask names. A masked field without a value is undefined. */
export function maskedFields<Fields extends object>(fields: Fields, mask: readonly string[]): Partial<Fields> {
  return Object.fromEntries(
    mask.map(toMember).map((member) => [member, fields[member as keyof Fields]]),
  ) as Partial<Fields>;
}

/** Converts `reorder_level` to `reorderLevel`. */
function toMember(path: string): string {
  return path.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
