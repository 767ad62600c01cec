import { bytes, bytesKey, createTable, integer, optional, text, time, type Schema } from './schema/create-table.ts';

// Devices that wait for the decision of a user, and those that were denied. Both codes are secrets, so their SHA-256 is stored.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'device_requests', {
    columns: {
      id: bytes(32),
      user_code: bytes(32),
      application_tenant: bytesKey(63),
      application_id: bytes(16),
      scopes: text(200),
      resource: optional(text(255)),
      network: text(64),
      poll_interval: integer,
      polled_at: optional(time),
      denied_at: optional(time),
      requested_at: time,
      expires_at: time,
    },
    primaryKey: ['id'],
    unique: [['user_code']],
    indexes: [['expires_at']],
  });
}
