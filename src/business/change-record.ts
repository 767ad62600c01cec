import type { Precondition } from '../../proto/gen/authservice/record/v1/record.ts';
import { isId } from '../platform/db/ids.ts';
import type { Statements } from '../platform/db/types.ts';
import { ServiceError } from '../platform/errors.ts';
import type { Call } from '../platform/rpc/types.ts';
import { moveCount, type CountedKind } from './counter-store.ts';
import type { Dependencies } from './dependencies.ts';
import type { RecordStore } from './record-store.ts';
import { tenantOf } from '../platform/rpc/tenant.ts';

/** Returns the record of the caller's tenant with an id. Throws NOT_FOUND, also for malformed ids. */
export async function findRecord<Found>(
  database: Statements,
  store: Pick<RecordStore<never, Found>, 'find'>,
  id: string,
  call: Call,
): Promise<Found> {
  const tenantId = tenantOf(call);
  const found = isId(id) ? await store.find(database, tenantId, id) : undefined;
  if (!found) throw new ServiceError('NOT_FOUND');
  return found;
}

interface Target<Found> {
  readonly tenantId: string;
  readonly id: string;
  readonly store: Pick<RecordStore<never, Found>, 'lock' | 'find'>;
  readonly precondition?: Precondition | undefined;
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

interface ChangeableRecord {
  readonly tenantId: string;
  readonly id: string;
  readonly version: number;
  readonly status: string;
}

/** A request that changes a record. An empty mask changes nothing. */
export interface ChangeRequest {
  readonly precondition?: Precondition | undefined;
  readonly updateMask?: readonly string[] | undefined;
}

/**
 * Locks a record, runs `change` in the same transaction, and counts a change of its status. Returns the changed record. Throws
 * NOT_FOUND, PRECONDITION_FAILED and any error of `change`.
 */
export async function changeRecord<Found extends ChangeableRecord>(
  { database, clock }: Dependencies,
  call: Call,
  { kind, store, found }: { readonly kind: CountedKind; readonly found: Found } & Pick<Target<Found>, 'store'>,
  { precondition, updateMask }: ChangeRequest,
  change: (tx: Statements, before: Found, now: number) => Promise<Found>,
): Promise<Found> {
  if (updateMask?.length === 0) {
    assertVersion(precondition, found.version);
    return found;
  }
  const { tenantId, id } = found;
  return database.transaction(call.deadline, async (tx) => {
    const now = clock();
    const before = await lockForChange(tx, { store, tenantId, id, precondition }, now);
    const changed = await change(tx, before, now);
    await moveCount(tx, tenantId, kind, before.status, changed.status);
    return changed;
  });
}

/** Throws PRECONDITION_FAILED if the record has none of the required versions. */
function assertVersion(precondition: Precondition | undefined, version: number): void {
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
