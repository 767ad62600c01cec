// The tenant_counters table: the number of a tenant's records by kind and status, and the last order number. It is
// updated in the transaction that changes a record, so that lists need not count.
import { tenantScope } from '../platform/db/query/tenant-scope.ts';
import { queryTotal, type Total } from '../platform/db/query/total.ts';
import type { Statements } from '../platform/db/types.ts';
import { lockTenant } from '../auth/tenancy/lock-tenant.ts';

/** The kinds of records that are counted by status. */
export type CountedKind = 'products' | 'customers' | 'orders';

/** A change of the number of records of a kind with a status. */
export interface CountChange {
  readonly status: string;
  readonly by: number;
}

/**
 * Updates the counts for records that were added (`by` 1), removed (-1) or moved to another status. Call it last in a
 * transaction, because all writers of a tenant lock these rows.
 */
export async function changeCounts(
  tx: Statements,
  tenantId: string,
  kind: CountedKind,
  changes: readonly CountChange[],
): Promise<void> {
  // Always in the same order, so that writers never deadlock.
  const sorted = changes.filter(({ by }) => by !== 0).toSorted((a, b) => (a.status < b.status ? -1 : 1));
  if (sorted.length > 1) {
    // A transaction that has locked a counter must not wait for the tenant lock: its holder may be waiting for that
    // counter.
    const counts = await readCounts(tx, tenantId, kind);
    if (sorted.some(({ status }) => !counts.has(status))) await lockTenant(tx, tenantId);
  }
  for (const { status, by } of sorted) await add(tx, tenantId, `${kind}:${status}`, by);
}

/** Updates the counts for a record that may have moved to another status. Call it last in a transaction. */
export async function moveCount(
  tx: Statements,
  tenantId: string,
  kind: CountedKind,
  from: string,
  to: string,
): Promise<void> {
  if (from !== to) {
    await changeCounts(tx, tenantId, kind, [
      { status: from, by: -1 },
      { status: to, by: 1 },
    ]);
  }
}

/** Returns the number of records of a kind by status. Statuses that no record ever had are missing. */
export async function readCounts(
  db: Statements,
  tenantId: string,
  kind: CountedKind,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tenantScope(db, tenantId).query<{ name: Uint8Array; value: number }>(
    'SELECT name, value FROM tenant_counters WHERE tenant_id = :tenant AND name >= ? AND name < ?',
    namesOf(kind).map((name) => Buffer.from(name)),
  );
  return new Map(
    rows.map(({ name, value }) => [
      Buffer.from(name)
        .toString()
        .slice(kind.length + 1),
      value,
    ]),
  );
}

/** Returns the number of records of a kind. */
export async function readCount(db: Statements, tenantId: string, kind: CountedKind): Promise<number> {
  return queryTotal(tenantScope(db, tenantId), countOf(kind));
}

/** Returns the SELECT of the number of records of a kind: all, or those of one status. */
export function countOf(kind: CountedKind, status?: string): Total {
  const [condition, names] =
    status === undefined ? ['name >= ? AND name < ?', namesOf(kind)] : ['name = ?', [`${kind}:${status}`]];
  return {
    sql: `SELECT COALESCE(SUM(value), 0) FROM tenant_counters WHERE tenant_id = :tenant AND ${condition}`,
    values: names.map((name) => Buffer.from(name)),
  };
}

/** Returns the range of the names of a kind's counters: the first, and the first after them. */
function namesOf(kind: CountedKind): readonly string[] {
  // ';' follows ':' in ASCII.
  return [`${kind}:`, `${kind};`];
}

/**
 * Returns the next order number, from 1. It locks the counter, so the tenant's other transactions that create orders
 * wait until this one ends.
 */
export async function nextOrderNumber(tx: Statements, tenantId: string): Promise<number> {
  const name = 'order-number';
  await add(tx, tenantId, name, 1);
  const [row] = await tenantScope(tx, tenantId).query<{ value: number }>(
    'SELECT value FROM tenant_counters WHERE tenant_id = :tenant AND name = ?',
    [Buffer.from(name)],
  );
  return row!.value;
}

async function add(tx: Statements, tenantId: string, name: string, by: number): Promise<void> {
  const scope = tenantScope(tx, tenantId);
  const update = () =>
    scope.execute('UPDATE tenant_counters SET value = value + ? WHERE tenant_id = :tenant AND name = ?', [
      by,
      Buffer.from(name),
    ]);
  if ((await update()) > 0) return;
  // The counter is missing. Concurrent insertions of one key would block each other, so lock the tenant first.
  await lockTenant(tx, tenantId);
  if ((await update()) > 0) return;
  await scope.execute('INSERT INTO tenant_counters (tenant_id, name, value) VALUES (:tenant, ?, ?)', [
    Buffer.from(name),
    by,
  ]);
}
