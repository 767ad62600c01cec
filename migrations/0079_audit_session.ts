import { addColumn, bytes, bytesKey, optional, replaceIndexes, type Schema } from './schema/create-table.ts';

// The session that caused a record, and the client's address as 16 bytes (IPv4 as ::ffff:a.b.c.d), for the filters of the list. Both are
// NULL in records of the previous release and of earlier ones: to fill in the address, the migration would have to write each record.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'audit_records', 'session_id', optional(bytes(16)));
  await addColumn(schema, 'audit_records', 'address', optional(bytesKey(16)));
  await replaceIndexes(schema, 'audit_records', {
    add: [
      { columns: ['session_id', 'at', 'id', 'tenant_id'], onlyGiven: true },
      { columns: ['address', 'at', 'id', 'tenant_id'], onlyGiven: true },
      { columns: ['request_id', 'at', 'id', 'tenant_id'] },
    ],
  });
}
