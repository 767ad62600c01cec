import {
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

export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'order_status_changes', {
    columns: {
      tenant_id: bytesKey(63),
      order_id: bytes(16),
      version: integer,
      from_status: optional(text(16)),
      to_status: text(16),
      at: time,
      by_id: bytes(16),
      note: optional(longText),
    },
    primaryKey: ['tenant_id', 'order_id', 'version'],
    owner: { columns: ['tenant_id', 'order_id'], table: 'orders', key: ['tenant_id', 'id'] },
  });
}
