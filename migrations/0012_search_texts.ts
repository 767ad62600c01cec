import { addColumn, blob, optional, type Schema } from './schema/create-table.ts';

// The text for searches. Rows that an earlier, still running release inserts have none until they are updated.
export async function up(schema: Schema): Promise<void> {
  await addSearchText(schema, 'accounts', ['username', 'name', 'email']);
  await addSearchText(schema, 'tenants', ['id', 'name']);
}

const BATCH = 500;

type Row = Record<string, string | Uint8Array | null>;

async function addSearchText(schema: Schema, table: string, columns: readonly string[]): Promise<void> {
  await addColumn(schema, table, 'search_text', optional(blob));
  const missing = `SELECT id, ${columns.join(', ')} FROM ${table} WHERE search_text IS NULL LIMIT ${BATCH}`;
  for (;;) {
    const rows = await schema.query<Row>(missing);
    for (const row of rows) {
      const text = searchText(...columns.map((column) => textOf(row[column])));
      await schema.execute(`UPDATE ${table} SET search_text = ? WHERE id = ?`, [text, row['id']!]);
    }
    if (rows.length < BATCH) return;
  }
}

function textOf(value: string | Uint8Array | null | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value : Buffer.from(value).toString();
}

/**
 * Returns the parts in Unicode NFC and lower case, separated by a byte that UTF-8 does not use. This is a copy of the code at the
 * time of this migration.
 */
function searchText(...parts: readonly (string | undefined)[]): Buffer {
  const [first = Buffer.alloc(0), ...others] = parts.filter((part) => part !== undefined).map(folded);
  return Buffer.concat([first, ...others.flatMap((part) => [Buffer.of(0xff), part])]);
}

function folded(text: string): Buffer {
  return Buffer.from(text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ'));
}
