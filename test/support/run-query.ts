import type { Query } from '../../src/platform/db/query/builder.ts';
import type { Row, SqlValue, Statements } from '../../src/platform/db/types.ts';

/** Runs a built SELECT like a written one: prepared, with time limits and safe errors. */
export function runQuery<R = Row>(statements: Pick<Statements, 'query'>, query: Query): Promise<R[]> {
  const { sql, bindings } = query.toSQL().toNative();
  return statements.query<R>(sql, bindings as readonly SqlValue[]);
}
