import type { Row, SqlValue } from '../db/types.ts';

/** The fields of a record that are stored unchanged in columns. */
export interface FieldColumns<Fields> {
  /** The names of the columns. */
  readonly names: readonly string[];
  /** Converts a row to fields. */
  readonly read: (row: Row) => Fields;
  /** Converts fields to columns. */
  readonly write: (fields: Fields) => Record<string, SqlValue>;
}

/** Creates the conversion between fields and their columns. A field without a value is NULL. */
export function fieldColumns<Fields extends object>(
  columns: Readonly<Record<keyof Fields & string, string>>,
): FieldColumns<Fields> {
  const entries = Object.entries<string>(columns);
  return {
    names: entries.map(([, column]) => column),
    read(row) {
      const fields: Record<string, SqlValue | undefined> = {};
      for (const [field, column] of entries) fields[field] = row[column] ?? undefined;
      return fields as Fields;
    },
    write(fields) {
      const row: Record<string, SqlValue> = {};
      for (const [field, column] of entries) row[column] = (fields[field as keyof Fields] ?? null) as SqlValue;
      return row;
    },
  };
}
