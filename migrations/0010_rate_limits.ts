import { bytesKey, createTable, integer, optional, type Schema, unsignedTime } from './schema/create-table.ts';

// The columns that rate-limiter-flexible expects. Its own DDL would use the server's default character set.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'rate_limits', {
    columns: {
      key: bytesKey(255),
      points: integer,
      expire: optional(unsignedTime),
    },
    primaryKey: ['key'],
    indexes: [['expire']],
  });
}
