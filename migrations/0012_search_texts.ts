import type { Knex } from 'knex';
import { blob, optional } from './schema/create-table.ts';

// What searches by text look into. Rows of an earlier release that is still running lack it until they are changed.
export async function up(knex: Knex): Promise<void> {
  await addSearchText(knex, 'accounts', ['username', 'name', 'email']);
  await addSearchText(knex, 'tenants', ['id', 'name']);
}

const BATCH = 500;

type Row = Record<string, string | Uint8Array | null>;

async function addSearchText(knex: Knex, table: string, columns: readonly string[]): Promise<void> {
  if (!(await knex.schema.hasColumn(table, 'search_text'))) {
    const type = optional(blob)[knex.client.dialect === 'mysql' ? 'mysql' : 'sqlite'];
    await knex.raw(`ALTER TABLE \`${table}\` ADD COLUMN \`search_text\` ${type}`);
  }
  for (;;) {
    const rows: Row[] = await knex(table)
      .select('id', ...columns)
      .whereNull('search_text')
      .limit(BATCH);
    for (const row of rows) {
      const texts = columns.map((column) => textOf(row[column]));
      await knex(table)
        .where({ id: row['id'] })
        .update({ search_text: searchText(...texts) });
    }
    if (rows.length < BATCH) return;
  }
}

function textOf(value: string | Uint8Array | null | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value : Buffer.from(value).toString();
}

/** The parts in Unicode NFC and lower case, apart by a byte that UTF-8 does not use; as searches expected them at this migration. */
function searchText(...parts: readonly (string | undefined)[]): Buffer {
  const [first = Buffer.alloc(0), ...others] = parts.filter((part) => part !== undefined).map(folded);
  return Buffer.concat([first, ...others.flatMap((part) => [Buffer.of(0xff), part])]);
}

function folded(text: string): Buffer {
  return Buffer.from(text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ'));
}
