// Prepared statements on both engines, without further layers.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { createPool, type ExecuteValues } from 'mysql2/promise';

export type Row = Record<string, string | number | Uint8Array | null>;
type Value = string | number | Uint8Array | null;

export interface Store {
  all(sql: string, values: readonly Value[]): Promise<Row[]> | Row[];
  run(sql: string, values: readonly Value[]): Promise<unknown>;
}

/** Opens the service's database. */
export function openStore(url: string): Store {
  return url.startsWith('sqlite:') ? sqliteStore(url.replace('sqlite:', '')) : mysqlStore(url);
}

function sqliteStore(file: string): Store {
  const db = new DatabaseSync(file);
  // The same durability as in the service.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 2000');
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) statements.set(sql, (statement = db.prepare(sql)));
    return statement;
  };
  return {
    all: (sql, values) => prepared(sql).all(...values) as Row[],
    run: async (sql, values) => prepared(sql).run(...values),
  };
}

function mysqlStore(uri: string): Store {
  const pool = createPool({ uri, charset: 'utf8mb4_bin', connectionLimit: 10, dateStrings: true });
  return {
    all: async (sql, values) => (await pool.execute(sql, values as ExecuteValues))[0] as Row[],
    run: (sql, values) => pool.execute(sql, values as ExecuteValues),
  };
}
