// Whether the code of a process and the schema of its database fit. Migrations are compared by name.

/**
 * `0031_drop_old_column.needs-0030.ts` takes away what older code uses. Only code that has migration 0030 works with the
 * changed schema.
 */
const NEEDS = /\.needs-(\d{4})\.ts$/;

export interface SchemaComparison {
  /** The migrations that the database lacks, in order. */
  readonly missing: readonly string[];
  /** A migration of the database that this code cannot work with. */
  readonly tooNew: string | undefined;
}

/** Compares the migrations that this code knows, in order, with those that the database has. */
export function compareSchema(known: readonly string[], applied: readonly string[]): SchemaComparison {
  const newest = known.at(-1) ?? '';
  return {
    missing: known.filter((name) => !applied.includes(name)),
    tooNew: applied.find((name) => (NEEDS.exec(name)?.[1] ?? '') > newest.slice(0, 4)),
  };
}

/** Describes the problem of a database with an incompatible migration, and the remedy. */
export function describeTooNew(migration: string): string {
  return `has the schema of a later version (migration ${migration}); start that version`;
}
