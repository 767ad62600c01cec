import { createRequire } from 'node:module';
import type { Knex, knex as CreateKnex } from 'knex';
import type { Row, SqlValue, Statements } from '../types.ts';

/** A query built with knex. It has no connection; runQuery runs it. */
export type Query = Knex.QueryBuilder;

const DIALECTS = { mysql: { client: 'mysql2' }, sqlite: { client: 'better-sqlite3', useNullAsDefault: true } } as const;

const builders = new Map<keyof typeof DIALECTS, Knex>();

/** Returns a query builder for an engine's SQL dialect. */
export function builderOf({ engine }: { readonly engine: keyof typeof DIALECTS }): Knex {
  let builder = builders.get(engine);
  if (builder === undefined) {
    // Loaded here because it takes a tenth of a second, and only administrative lists need it.
    const createKnex = createRequire(import.meta.url)('knex') as typeof CreateKnex;
    builder = createKnex(DIALECTS[engine]);
    builders.set(engine, builder);
  }
  return builder;
}

/** Runs a built SELECT like a written one: prepared, with time limits and safe errors. */
export function runQuery<R = Row>(statements: Pick<Statements, 'query'>, query: Query): Promise<R[]> {
  const { sql, bindings } = query.toSQL().toNative();
  return statements.query<R>(sql, bindings as readonly SqlValue[]);
}
