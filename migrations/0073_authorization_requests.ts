import { bytes, bytesKey, createTable, longText, optional, text, time, type Schema } from './schema/create-table.ts';

// Requests that wait for a user, without those that were used. Their ids are secrets, so their SHA-256 is stored. Both indexes count
// open requests.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'authorization_requests', {
    columns: {
      id: bytes(32),
      kind: text(8),
      application_tenant: bytesKey(63),
      application_id: bytes(16),
      pushed_id: optional(bytes(32)),
      parameters: longText,
      network: text(64),
      requested_at: time,
      expires_at: time,
    },
    primaryKey: ['id'],
    indexes: [
      ['network', 'expires_at'],
      ['expires_at', 'network'],
    ],
  });
}
