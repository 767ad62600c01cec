import { amount, bytes, bytesKey, createTable, integer, type Schema, text } from './schema/create-table.ts';

export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'order_items', {
    columns: {
      tenant_id: bytesKey(63),
      order_id: bytes(16),
      position: integer,
      product_id: bytes(16),
      name: text(200),
      quantity: integer,
      unit_price: amount,
    },
    primaryKey: ['tenant_id', 'order_id', 'position'],
    owner: { columns: ['tenant_id', 'order_id'], table: 'orders', key: ['tenant_id', 'id'] },
  });
}
