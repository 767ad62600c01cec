// Versioned records of tenants: customers, products, orders. Each is a table with the primary key (tenant_id, id).
import { id, integer, tenant, time } from '../platform/db/columns.ts';
import { idToBytes, newId } from '../platform/db/ids.ts';
import { byPrimaryKey } from '../platform/db/query/hints.ts';
import { tenantScope } from '../platform/db/query/tenant-scope.ts';
import type { Insertable, RecordRows, ValuesOf } from '../platform/db/record.ts';
import type { Statements } from '../platform/db/types.ts';

/** The columns that every versioned record has. Each change sets the last two. */
export const VERSIONED = {
  id: id('id'),
  tenantId: tenant('tenant_id'),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
  /** Increases with every change, from 1. */
  version: integer('version'),
};

/** Returns the values of these columns for a new record. */
export function newRecord(tenantId: string, now: number): ValuesOf<typeof VERSIONED> {
  return { id: newId(), tenantId, createdAt: now, updatedAt: now, version: 1 };
}

/** Reads and writes the rows of a record. */
export interface RecordStore<Stored, Found> {
  find(db: Statements, tenantId: string, id: string): Promise<Found | undefined>;
  insert(tx: Statements, record: Insertable<Stored> & { readonly tenantId: string }): Promise<void>;
  /**
   * Increases a record's version, which locks the record until the transaction ends. Data read after that does not
   * change. Returns false if there is no such record.
   */
  lock(tx: Statements, tenantId: string, id: string, now: number): Promise<boolean>;
  /** Sets the fields of a record that this transaction has locked. */
  update(tx: Statements, record: Stored): Promise<void>;
  /** Deletes a record that this transaction has locked, with its dependent rows. */
  remove(tx: Statements, tenantId: string, id: string): Promise<void>;
}

export function createRecordStore<Stored extends ValuesOf<typeof VERSIONED>, Found>(
  record: RecordRows<Stored, Found>,
): RecordStore<Stored, Found> {
  const { table } = record;
  const OF_ID = 'WHERE tenant_id = :tenant AND id = ?';
  const update = `UPDATE ${byPrimaryKey(table)} SET`;
  const statements = {
    find: `SELECT ${record.select('p')} FROM ${table} p WHERE p.tenant_id = :tenant AND p.id = ?`,
    insert: `INSERT INTO ${table} (${record.names}) VALUES (${record.placeholders})`,
    lock: `${update} version = version + 1, updated_at = ? ${OF_ID}`,
    update: `${update} ${record.assignments} ${OF_ID}`,
    remove: `DELETE FROM ${table} ${OF_ID}`,
  };
  return {
    async find(db, tenantId, id) {
      const [row] = await tenantScope(db, tenantId).query(statements.find, [idToBytes(id)]);
      return row && record.read(row, tenantId);
    },
    async insert(tx, inserted) {
      await tenantScope(tx, inserted.tenantId).execute(statements.insert, record.insertValues(inserted));
    },
    async lock(tx, tenantId, id, now) {
      return (await tenantScope(tx, tenantId).execute(statements.lock, [now, idToBytes(id)])) > 0;
    },
    async update(tx, updated) {
      const { tenantId, id } = updated;
      await tenantScope(tx, tenantId).execute(statements.update, [...record.updateValues(updated), idToBytes(id)]);
    },
    async remove(tx, tenantId, id) {
      await tenantScope(tx, tenantId).execute(statements.remove, [idToBytes(id)]);
    },
  };
}
