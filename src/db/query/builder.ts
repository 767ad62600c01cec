import createKnex, { type Knex } from 'knex';
import type { Row, SqlValue, Statements } from '../types.ts';

/** A query that knex composes. It has no connection: runQuery runs it. */
export type Query = Knex.QueryBuilder;

const DIALECTS = { mysql: { client: 'mysql2' }, sqlite: { client: 'better-sqlite3', useNullAsDefault: true } } as const;

const builders = new Map<keyof typeof DIALECTS, Knex>();

/** Composes SQL in the dialect of an engine. */
export function builderOf({ engine }: { readonly engine: keyof typeof DIALECTS }): Knex {
  let builder = builders.get(engine);
  if (builder === undefined) builders.set(engine, (builder = createKnex(DIALECTS[engine])));
  return builder;
}

/** Runs a composed SELECT like a written one: prepared, bounded in time, with safe errors. */
export function runQuery<R = Row>(statements: Pick<Statements, 'query'>, query: Query): Promise<R[]> {
  const { sql, bindings } = query.toSQL().toNative();
  return statements.query<R>(sql, bindings as readonly SqlValue[]);
}
