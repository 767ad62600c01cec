import { addColumn, type Schema } from './schema/create-table.ts';

// Each login attempt that is being evaluated has a slot of its own, which ends by itself. `login_claims` and
// `login_claims_expire_at` are for an earlier release that is still running; the two releases do not count each other's.
export async function up(schema: Schema): Promise<void> {
  const type = { mysql: "VARCHAR(1000) NOT NULL DEFAULT ''", sqlite: "TEXT NOT NULL DEFAULT ''" };
  for (const table of ['accounts', 'login_decoys']) await addColumn(schema, table, 'attempt_slots', type);
}
