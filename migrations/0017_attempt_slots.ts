import { addColumn, type Schema } from './schema/create-table.ts';

// Each login attempt in progress has a slot, which expires. `login_claims` and `login_claims_expire_at` are for an earlier, still
// running release. The two releases do not count each other's attempts.
export async function up(schema: Schema): Promise<void> {
  const type = { mysql: "VARCHAR(1000) NOT NULL DEFAULT ''", sqlite: "TEXT NOT NULL DEFAULT ''" };
  for (const table of ['accounts', 'login_decoys']) await addColumn(schema, table, 'attempt_slots', type);
}
