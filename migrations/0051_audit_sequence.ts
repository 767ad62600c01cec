import { addColumn, bytesKey, optional, replaceIndexes, type Schema } from './schema/create-table.ts';

// `sequence` is the place of a sealed record in the order of the seals. It is NULL for a record that waits for its seal, and 0 for one
// that is older than this migration: those are sealed last, and get negative numbers. So a default gives existing records the 0
// without writing them. SQLite cannot remove a default, so insertions name the column.
export async function up(schema: Schema): Promise<void> {
  const sequence = { mysql: 'BIGINT NULL DEFAULT 0', sqlite: 'INTEGER NULL DEFAULT 0' };
  await addColumn(schema, 'audit_records', 'sequence', sequence);
  await addColumn(schema, 'audit_records', 'seal', optional(bytesKey(49)));
  if (schema.engine === 'mysql')
    await schema.execute('ALTER TABLE `audit_records` ALTER COLUMN `sequence` SET DEFAULT NULL');
  await replaceIndexes(schema, 'audit_records', { add: [{ columns: ['sequence', 'at'] }] });
}
