import {
  blob,
  bytes,
  bytesKey,
  createTable,
  integer,
  optional,
  type Schema,
  text,
  time,
} from './schema/create-table.ts';

export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'customers', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      name: text(200),
      email: optional(text(320)),
      email_key: optional(bytesKey(1280)),
      phone: optional(text(50)),
      phone_digits: optional(bytesKey(50)),
      address: optional(text(1000)),
      status: text(16),
      created_at: time,
      updated_at: time,
      version: integer,
      search_text: blob,
    },
    primaryKey: ['tenant_id', 'id'],
    indexes: [
      ['tenant_id', 'created_at'],
      ['tenant_id', 'status', 'created_at'],
      ['tenant_id', 'email_key'],
      ['tenant_id', 'phone_digits'],
    ],
  });
}
