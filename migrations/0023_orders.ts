import {
  amount,
  blob,
  bytes,
  bytesKey,
  createTable,
  integer,
  longText,
  optional,
  type Schema,
  text,
  time,
} from './schema/create-table.ts';

// An order refers to its customer and products without foreign keys: products can be deleted, and foreign keys would lock their
// rows. docs/decisions/archive/measurements.md lists the query of each index, and its cost.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'orders', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      number: amount,
      customer_id: bytes(16),
      total: amount,
      currency: text(3),
      status: text(16),
      payment_method: optional(text(16)),
      delivery_date: optional(text(10)),
      delivery_address: optional(text(1000)),
      note: optional(longText),
      created_at: time,
      updated_at: time,
      version: integer,
      search_text: blob,
    },
    primaryKey: ['tenant_id', 'id'],
    unique: [['tenant_id', 'number']],
    indexes: [
      // Lists are sorted by time and id. The other columns make the revenue of a period an index-only query.
      ['tenant_id', 'created_at', 'id', 'status', 'currency', 'total'],
      ['tenant_id', 'status', 'created_at'],
      ['tenant_id', 'status', 'delivery_date'],
      ['tenant_id', 'customer_id', 'created_at'],
      ['tenant_id', 'delivery_date'],
      ['tenant_id', 'total'],
    ],
  });
}
