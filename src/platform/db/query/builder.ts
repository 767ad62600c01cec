// knex composes the SELECTs of lists from their parts, each SELECT once: its text, and the order of its values.
import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex, knex as CreateKnex } from 'knex';
import type { Database } from '../types.ts';
import type { Condition } from './condition.ts';

/** A query built with knex. It has no connection: only its text and values are used. */
export type Query = Knex.QueryBuilder;
export type Builder = Knex;
/** Returns a part of a composed SELECT for knex. */
export type Part = (condition: Condition) => Knex.Raw;

const DIALECTS = { mysql: { client: 'mysql2' }, sqlite: { client: 'better-sqlite3', useNullAsDefault: true } } as const;

const builders = new Map<Database['engine'], Builder>();

const requireHere = createRequire(import.meta.url);
/** What takes long in knex. Loaded at once, it blocks the event loop for a tenth of a second. */
const PARTS = ['debug', 'lodash/reduce', 'knex/lib/raw', 'knex/lib/execution/transaction'];
let loading: Promise<void> | undefined;

/** Loads the builder, which only lists of administration need, without blocking the event loop for long. */
export function loadBuilder(): Promise<void> {
  loading ??= loadParts();
  return loading;
}

async function loadParts(): Promise<void> {
  const requireOfKnex = createRequire(requireHere.resolve('knex'));
  for (const part of PARTS) {
    try {
      requireOfKnex(part);
    } catch {
      // Another version of knex does not have it: the next line loads what it has.
    }
    await nextTurn();
  }
  requireHere('knex');
}

/** Returns a query builder for an engine's SQL dialect. */
export function builderOf({ engine }: Pick<Database, 'engine'>): Builder {
  let builder = builders.get(engine);
  if (builder === undefined) {
    const createKnex = requireHere('knex') as typeof CreateKnex;
    builder = createKnex(DIALECTS[engine]);
    builders.set(engine, builder);
  }
  return builder;
}

/** A text, and for each `?` the index of its value. */
interface Composed {
  readonly sql: string;
  readonly order: readonly number[];
}

/** Limits the cache: texts with `IN (?, ?)` of varying length must not accumulate. */
const MAX_TEXTS = 1_000;
const texts = new Map<string, Composed>();

/**
 * Composes a SELECT of parts, which have all its values. `compose` gets a function that returns a part for knex, and can
 * use a part several times. It runs once for each shape: the same shape and texts of parts result in the same SELECT.
 */
export function composeOnce(
  database: Pick<Database, 'engine'>,
  shape: string,
  parts: readonly Condition[],
  compose: (knex: Builder, part: Part) => Query,
): Condition {
  const key = [database.engine, shape, ...parts.map(({ sql }) => sql)].join('\n');
  let composed = texts.get(key);
  if (composed === undefined) {
    const knex = builderOf(database);
    // Each value is represented by its index, so that the order of the bindings is the order of the values.
    let index = 0;
    const slots = new Map(parts.map((part) => [part, part.values.map(() => index++)]));
    const query = compose(knex, (part) => knex.raw(part.sql, slots.get(part)!));
    const { sql, bindings } = query.toSQL().toNative();
    composed = { sql, order: bindings as readonly number[] };
    if (texts.size >= MAX_TEXTS) texts.clear();
    texts.set(key, composed);
  }
  const values = parts.flatMap((part) => part.values);
  return { sql: composed.sql, values: composed.order.map((index) => values[index]!) };
}
