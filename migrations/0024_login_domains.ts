import type { Knex } from 'knex';
import { bytesKey, createTable, time } from './schema/create-table.ts';

// Which tenant owns a login domain; a domain has one owner at most, so it is the whole key. The row with the empty domain belongs
// to nobody: transactions that create usernames lock it shared, those that change owners lock it exclusively.
export async function up(knex: Knex): Promise<void> {
  await createTable(knex, 'login_domains', {
    columns: {
      domain: bytesKey(253),
      tenant_id: bytesKey(63),
      created_at: time,
    },
    primaryKey: ['domain'],
    indexes: [['tenant_id', 'domain']],
  });
  const NONE = Buffer.alloc(0);
  const rows = await knex('login_domains').where({ domain: NONE });
  if (rows.length === 0) await knex('login_domains').insert({ domain: NONE, tenant_id: NONE, created_at: Date.now() });
}
