// The database: connections, transactions, migrations and errors, for SQLite and MySQL.
import type { Logger } from 'pino';
import type { Tracer } from '../tracing/tracer.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { createMysqlDatabase } from './mysql/database.ts';
import { mysqlTarget } from './mysql/target.ts';
import { createSqliteDatabase } from './sqlite/database.ts';
import type { Database } from './types.ts';

interface ConnectOptions {
  /** See parseDatabaseUrl. */
  readonly url: string;
  /** Maximum number of MySQL connections. SQLite has one. */
  readonly poolSize: number;
  readonly log: Logger;
  /** Records a span for each group of writes that share a commit. */
  readonly tracer?: Tracer | undefined;
}

/** Creates the Database of a URL without connecting. Throws an Error that names the problem of the URL. */
export function connectDatabase({ url, poolSize, log, tracer }: ConnectOptions): Database {
  const target = parseDatabaseUrl(url);
  return target.engine === 'sqlite'
    ? createSqliteDatabase(target, log, tracer)
    : createMysqlDatabase(mysqlTarget(target), poolSize, log, tracer);
}
