import { hasColumn, integer, optional, time, type Schema } from './schema/create-table.ts';

// The rotation schedule: each key has a sequence number and the time from which it signs. `state` and `active_slot` are for an
// earlier, still running release, whose rows have no values in the new columns.
export async function up(schema: Schema): Promise<void> {
  if (!(await hasColumn(schema, 'signing_keys', 'sequence'))) await addColumns(schema);
  const [last] = await schema.query<{ sequence: number | null }>('SELECT MAX(sequence) AS sequence FROM signing_keys');
  let sequence = last?.sequence ?? 0;
  // The key with the slot signs, so it gets the last sequence number.
  const rows = await schema.query<{ kid: Uint8Array; created_at: number; active_slot: number | null }>(
    `SELECT kid, created_at, active_slot FROM signing_keys WHERE sequence IS NULL
      ORDER BY active_slot IS NOT NULL, created_at, kid`,
  );
  for (const { kid, created_at: signsFrom, active_slot: slot } of rows) {
    sequence += 1;
    const verifiesUntil = slot === null ? Date.now() + LONGEST_TOKEN_MS : null;
    await schema.execute('UPDATE signing_keys SET sequence = ?, signs_from = ?, verifies_until = ? WHERE kid = ?', [
      sequence,
      signsFrom,
      verifiesUntil,
      kid,
    ]);
  }
}

/** Maximum of the settings for the lifetime of access tokens. */
const LONGEST_TOKEN_MS = 24 * 3600_000;

const COLUMNS = { sequence: optional(integer), signs_from: optional(time), verifies_until: optional(time) };

async function addColumns(schema: Schema): Promise<void> {
  const columns = Object.entries(COLUMNS).map(([name, type]) => `ADD COLUMN \`${name}\` ${type[schema.engine]}`);
  for (const sql of STATEMENTS[schema.engine](columns)) await schema.execute(sql);
}

// One statement, because MySQL commits every ALTER TABLE.
const STATEMENTS: Record<'mysql' | 'sqlite', (columns: readonly string[]) => string[]> = {
  mysql: (columns) => [
    `ALTER TABLE \`signing_keys\` ${columns.join(', ')}, ` +
      'ADD UNIQUE KEY `signing_keys_sequence_unique` (`sequence`), ' +
      'ADD KEY `signing_keys_verifies_until_index` (`verifies_until`)',
  ],
  sqlite: (columns) => [
    ...columns.map((column) => `ALTER TABLE \`signing_keys\` ${column}`),
    'CREATE UNIQUE INDEX `signing_keys_sequence_unique` ON `signing_keys` (`sequence`)',
    'CREATE INDEX `signing_keys_verifies_until_index` ON `signing_keys` (`verifies_until`)',
  ],
};
