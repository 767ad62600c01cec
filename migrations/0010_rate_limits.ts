import type { Knex } from 'knex';
import { bytesKey, createTable, integer, optional, unsignedTime } from './schema/create-table.ts';

// The columns that rate-limiter-flexible expects; its own DDL would use the server's default character set.
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'rate_limits', {
    columns: {
      key: bytesKey(255),
      points: integer,
      expire: optional(unsignedTime),
    },
    primaryKey: ['key'],
    indexes: [['expire']],
  });
}
