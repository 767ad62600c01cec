// Which files write which tables, read from the SQL in them.
import type { Source } from './architecture.ts';

const WRITES =
  /\b(?:(?:INSERT(?: IGNORE)? INTO|REPLACE INTO|DELETE FROM|UPDATE(?=\s+\S+\s+SET\b))\s+`?|into: ')(\$\{|\w+)/g;
/** `createRecordStore(CUSTOMER)`, and `CUSTOMER = defineRecord('customers'`. */
const WRITES_RECORD = /\bcreateRecordStore\((\w+)\)/g;
const RECORDS = /\b(\w+) = defineRecord\('(\w+)'/g;
const TABLES = /createTable\(schema, '(\w+)'/g;

/** Returns the files that write each table of the migrations. Tables of others are added as they are found. */
export function writersByTable(sources: readonly Source[]): ReadonlyMap<string | undefined, readonly string[]> {
  const tables = sources.flatMap(({ text }) => [...text.matchAll(TABLES)].map(([, table]) => table!));
  const records = new Map(
    sources.flatMap(({ text }) => [...text.matchAll(RECORDS)].map(([, record, table]) => [record!, table!] as const)),
  );
  const writers = new Map<string | undefined, string[]>(tables.map((table) => [table, []]));
  for (const source of sources) {
    if (source.path.startsWith('migrations/')) continue;
    for (const table of tablesWritten(source, tables, records))
      writers.set(table, [...(writers.get(table) ?? []), source.path]);
  }
  return writers;
}

/** Returns the tables that a file writes. If the table is a variable, these are the tables that the file contains. */
function tablesWritten(
  { text }: Source,
  tables: readonly string[],
  records: ReadonlyMap<string, string>,
): readonly (string | undefined)[] {
  const named = [...text.matchAll(WRITES)].map(([, table]) => table!);
  const variable = named.includes('${') ? tables.filter((table) => text.includes(`'${table}'`)) : [];
  const ofRecords = [...text.matchAll(WRITES_RECORD)].map(([, record]) => records.get(record!));
  return [...new Set([...named.filter((table) => table !== '${'), ...variable, ...ofRecords])];
}
