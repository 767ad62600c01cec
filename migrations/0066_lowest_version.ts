import type { Schema } from './schema/create-table.ts';

/** The features that programs before these migrations ignore, and the databases that use them. */
const FEATURES = [
  ['0036_policies.stored.needs-0036.ts', 'tenants WHERE policy IS NOT NULL'],
  ['0036_roles.stored.needs-0036.ts', "roles WHERE permissions <> '[]' OR inherits <> '[]'"],
  ['0043_second_factors.stored.needs-0043.ts', 'account_factors WHERE totp_secret IS NOT NULL'],
  ['0043_second_factors.stored.needs-0043.ts', 'passkeys'],
] as const;

// Later records add these rows themselves. Programs without the migration of the number do not start on a database with the row.
export async function up(schema: Schema): Promise<void> {
  for (const [name, rows] of FEATURES) {
    const [used] = await schema.query(`SELECT 1 AS one FROM ${rows} LIMIT 1`);
    const [known] = await schema.query('SELECT 1 AS one FROM knex_migrations WHERE name = ? LIMIT 1', [name]);
    if (used !== undefined && known === undefined)
      await schema.execute('INSERT INTO knex_migrations (name, batch) VALUES (?, 1)', [name]);
  }
}
