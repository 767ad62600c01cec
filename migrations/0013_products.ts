import {
  amount,
  blob,
  bytes,
  bytesKey,
  computedFlag,
  createTable,
  integer,
  longText,
  optional,
  type Schema,
  text,
  time,
} from './schema/create-table.ts';

// Amounts are in hundredths, for every currency. Enum values are stored by name. docs/decisions/archive/measurements.md lists the query of each index, and its cost.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'products', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      sku: bytesKey(256),
      name: text(200),
      description: optional(longText),
      category: optional(text(100)),
      price: amount,
      currency: text(3),
      stock: integer,
      reorder_level: integer,
      low_stock: computedFlag('stock <= reorder_level'),
      status: text(16),
      created_at: time,
      updated_at: time,
      version: integer,
      search_text: blob,
    },
    primaryKey: ['tenant_id', 'id'],
    unique: [['tenant_id', 'sku']],
    indexes: [
      ['tenant_id', 'created_at'],
      ['tenant_id', 'status', 'created_at'],
      // Contains the status, so that the count of alerts needs only the index.
      ['tenant_id', 'low_stock', 'stock', 'id', 'status'],
    ],
  });
}
