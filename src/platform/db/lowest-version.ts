// The lowest version that may serve a database. Programs before migration NNNN do not start on a database that lists a migration
// `….needs-NNNN.ts`, so the first record of a feature that they would ignore lists one: decision 36.
import type { Statements } from './types.ts';

/** Features that an older program does not enforce, and the last migration of the programs that do. */
const FEATURES = {
  policies: '0036',
  roles: '0036',
  second_factors: '0043',
  temporary_passwords: '0084',
  scheduled_ends: '0085',
  invitation_links: '0087',
} as const;

/** A migration that no code has: `0043_second_factors.stored.needs-0043.ts`. */
const FEATURE_ROW = /^\d{4}_(\w+)\.stored\.needs-\d{4}\.ts$/;

/** Returns the feature whose first record has added this row to the list of migrations; undefined for migrations. */
export function featureOf(migration: string): string | undefined {
  return FEATURE_ROW.exec(migration)?.[1]?.replaceAll('_', ' ');
}

/** Raises the lowest version, in the transaction that stores a record of a feature. */
export async function raiseLowestVersion(tx: Statements, feature: keyof typeof FEATURES): Promise<void> {
  const name = `${FEATURES[feature]}_${feature}.stored.needs-${FEATURES[feature]}.ts`;
  const known = await tx.query('SELECT 1 AS one FROM knex_migrations WHERE name = ? LIMIT 1', [name]);
  // Two transactions may add the same row, which does no harm.
  if (known.length === 0) await tx.execute('INSERT INTO knex_migrations (name, batch) VALUES (?, 1)', [name]);
}
