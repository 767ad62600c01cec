import type { Knex } from 'knex';

// Each login attempt that is being evaluated has a slot of its own, which ends by itself. `login_claims` and
// `login_claims_expire_at` are for an earlier release that is still running; the two releases do not count each other's.
export async function up(knex: Knex): Promise<void> {
  const type = knex.client.dialect === 'mysql' ? "VARCHAR(1000) NOT NULL DEFAULT ''" : "TEXT NOT NULL DEFAULT ''";
  for (const table of ['accounts', 'login_decoys']) {
    if (await knex.schema.hasColumn(table, 'attempt_slots')) continue;
    await knex.raw(`ALTER TABLE \`${table}\` ADD COLUMN \`attempt_slots\` ${type}`);
  }
}
