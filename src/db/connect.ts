// The database: connections, transactions, migrations and errors, the same for SQLite and MySQL.
// Imported by stores, jobs, migrations and src/composition.
import type { Logger } from 'pino';
import { parseDatabaseUrl } from './database-url.ts';
import { createMysqlDatabase } from './mysql/database.ts';
import { mysqlTarget } from './mysql/target.ts';
import { createSqliteDatabase } from './sqlite/database.ts';
import type { Database } from './types.ts';

export interface ConnectOptions {
  /** See parseDatabaseUrl. */
  readonly url: string;
  /** MySQL connections at most; SQLite has one. */
  readonly poolSize: number;
  readonly log: Logger;
}

/** The Database of a URL. Opens no connection yet; throws an Error that says what is wrong with the URL. */
export function connectDatabase({ url, poolSize, log }: ConnectOptions): Database {
  const target = parseDatabaseUrl(url);
  return target.engine === 'sqlite'
    ? createSqliteDatabase(target)
    : createMysqlDatabase(mysqlTarget(target), poolSize, log);
}
