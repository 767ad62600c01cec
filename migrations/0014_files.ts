import {
  amount,
  bytes,
  bytesKey,
  createTable,
  integer,
  optional,
  type Schema,
  text,
  time,
} from './schema/create-table.ts';

// A file is staged (it has an expiry) or attached (it has an owner). `object_key` is the key in the object store. An upload writes
// a new object and then replaces the key, so that a failed upload keeps the earlier content. There is no foreign key to products
// and orders, because their deletion must also delete the objects.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'files', {
    columns: {
      tenant_id: bytesKey(63),
      id: bytes(16),
      date: bytesKey(10),
      file_name: text(255),
      declared_type: text(127),
      declared_size: amount,
      content_type: optional(text(127)),
      size: optional(amount),
      sha256: optional(bytes(32)),
      object_key: optional(bytesKey(255)),
      owner_kind: optional(text(20)),
      owner_id: optional(bytes(16)),
      position: optional(integer),
      created_by: bytes(16),
      created_at: time,
      expires_at: optional(time),
    },
    primaryKey: ['tenant_id', 'id'],
    unique: [['tenant_id', 'owner_kind', 'owner_id', 'position']],
    indexes: [['expires_at']],
  });
}
