// Records the statements of a migration instead of running them.
import type { Database, MigrationStatements, SqlValue } from './types.ts';

/** Returns statements that run nothing and find no rows, and the SQL text of all changes so far. */
export function recordStatements(engine: Database['engine']): {
  readonly schema: MigrationStatements;
  readonly sql: readonly string[];
} {
  const recorded: string[] = [];
  return {
    sql: recorded,
    schema: {
      engine,
      query: async () => [],
      async execute(sql, values = []) {
        recorded.push(withValues(sql, values));
        return 0;
      },
    },
  };
}

/** Returns the statement with literals for its values, on one line. */
function withValues(sql: string, values: readonly SqlValue[]): string {
  const rest = [...values];
  return sql.replaceAll(/\s+/g, ' ').replaceAll('?', () => literal(rest.shift()!));
}

function literal(value: SqlValue): string {
  if (value === null || typeof value === 'number') return String(value);
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`;
  throw new TypeError('This value has no literal');
}
