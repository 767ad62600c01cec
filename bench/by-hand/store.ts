// Prepared statements on both engines, without further layers.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { createPool, type ExecuteValues } from 'mysql2/promise';

export type Row = Record<string, string | number | Uint8Array | null>;
type Value = string | number | Uint8Array | null;

export interface Store {
  all(sql: string, values: readonly Value[]): Promise<Row[]> | Row[];
  run(sql: string, values: readonly Value[]): Promise<unknown>;
  close(): void;
}

/** The same durability as in the service. */
const DURABLE =
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 2000';
/** For large numbers of rows that are inserted before a measurement. */
const BULK =
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA busy_timeout = 9000';

/** Opens the service's database. */
export function openStore(url: string, { bulk = false }: { readonly bulk?: boolean } = {}): Store {
  return url.startsWith('sqlite:') ? sqliteStore(url.replace('sqlite:', ''), bulk ? BULK : DURABLE) : mysqlStore(url);
}

function sqliteStore(file: string, pragmas: string): Store {
  const db = new DatabaseSync(file);
  db.exec(pragmas);
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) statements.set(sql, (statement = db.prepare(sql)));
    return statement;
  };
  return {
    all: (sql, values) => prepared(sql).all(...values) as Row[],
    run: async (sql, values) => prepared(sql).run(...values),
    close: () => db.close(),
  };
}

function mysqlStore(uri: string): Store {
  const pool = createPool({ uri, charset: 'utf8mb4_bin', connectionLimit: 10, dateStrings: true });
  return {
    all: async (sql, values) => (await pool.execute(sql, values as ExecuteValues))[0] as Row[],
    run: (sql, values) => pool.execute(sql, values as ExecuteValues),
    close: () => void pool.end(),
  };
}
