// The tenant_counters table: how many records a tenant has of each kind and status, kept in the transaction that changes a
// record, so that no list has to count; and the last number of an order.
import { tenantScope } from '../db/query/tenant-scope.ts';
import type { Statements } from '../db/types.ts';
import { holdTenantLock } from '../tenancy/hold-tenant-lock.ts';

/** What is counted by status. */
export type CountedKind = 'products' | 'customers' | 'orders';

/** How many more or fewer records of a kind have a status. */
export interface CountChange {
  readonly status: string;
  readonly by: number;
}

/**
 * Counts records that were added (`by` 1), removed (-1) or moved from one status to another. Call it last in a transaction:
 * all of a tenant's writers meet at these rows.
 */
export async function changeCounts(
  tx: Statements,
  tenantId: string,
  kind: CountedKind,
  changes: readonly CountChange[],
): Promise<void> {
  // In one order for all, so that no two writers wait for each other.
  const sorted = changes.filter(({ by }) => by !== 0).toSorted((a, b) => (a.status < b.status ? -1 : 1));
  if (sorted.length > 1) {
    // Who has a counter must not wait for a turn: whoever has the turn may be waiting for that counter.
    const counts = await readCounts(tx, tenantId, kind);
    if (sorted.some(({ status }) => !counts.has(status))) await holdTenantLock(tx, tenantId);
  }
  for (const { status, by } of sorted) await add(tx, tenantId, `${kind}:${status}`, by);
}

/** How many records of a kind there are, by status. Statuses that no record ever had are missing. */
export async function readCounts(
  db: Statements,
  tenantId: string,
  kind: CountedKind,
): Promise<ReadonlyMap<string, number>> {
  const prefix = `${kind}:`;
  // ';' follows ':' in ASCII.
  const rows = await tenantScope(db, tenantId).query<{ name: Uint8Array; value: number }>(
    'SELECT name, value FROM tenant_counters WHERE tenant_id = :tenant AND name >= ? AND name < ?',
    [Buffer.from(prefix), Buffer.from(`${kind};`)],
  );
  return new Map(rows.map(({ name, value }) => [Buffer.from(name).toString().slice(prefix.length), value]));
}

/** How many records of a kind there are: all, or those of one status. */
export async function readCount(
  db: Statements,
  tenantId: string,
  kind: CountedKind,
  status: string | undefined,
): Promise<number> {
  const counts = await readCounts(db, tenantId, kind);
  if (status !== undefined) return counts.get(status) ?? 0;
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** The next number of an order, from 1. Whoever has one holds up the tenant's other writers of orders until its transaction ends. */
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
  // It is missing, for others too. Of several that insert a key at once, those that come too late would block each other.
  await holdTenantLock(tx, tenantId);
  if ((await update()) > 0) return;
  await scope.execute('INSERT INTO tenant_counters (tenant_id, name, value) VALUES (:tenant, ?, ?)', [
    Buffer.from(name),
    by,
  ]);
}
