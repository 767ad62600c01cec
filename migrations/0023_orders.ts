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

// An order keeps the ids of its customer and its products without a foreign key: products may be deleted, and a key would lock
// their rows. Which index serves which query, and its cost: docs/performance.md.
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
      // The id right after the time, as lists are sorted; the rest for the revenue of a period, without reading the rows.
      ['tenant_id', 'created_at', 'id', 'status', 'currency', 'total'],
      ['tenant_id', 'status', 'created_at'],
      ['tenant_id', 'status', 'delivery_date'],
      ['tenant_id', 'customer_id', 'created_at'],
      ['tenant_id', 'delivery_date'],
      ['tenant_id', 'total'],
    ],
  });
}
