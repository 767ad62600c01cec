// A migrated template database per engine. Tests use copies, which is several times cheaper than a migration.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { pino, type Logger } from 'pino';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { onMysqlServer } from './mysql-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

const MAX_ATTEMPTS = 10;

export interface Templates {
  /** Path of a SQLite file without a write-ahead log. */
  readonly sqlite: string;
  /** SQL text that fills an empty MySQL database. */
  readonly mysql: string;
}

/** Creates the templates. `remove` deletes their files and databases. */
export async function makeTemplates(mysqlUrl: string): Promise<Templates & { remove(): void }> {
  return { ...(await makeSqliteTemplate()), mysql: await mysqlTemplate(mysqlUrl) };
}

/** Creates the template of SQLite alone. */
export async function makeSqliteTemplate(): Promise<Pick<Templates, 'sqlite'> & { remove(): void }> {
  const folder = temporaryFolder('sqlite-template-');
  const sqlite = join(folder, 'template.db');
  await migrateOnce(`sqlite:${sqlite}`);
  return { sqlite, remove: () => rmSync(folder, { recursive: true }) };
}

async function migrateOnce(url: string): Promise<void> {
  const log = pino({ level: 'silent' });
  const database = connectDatabase({ url, poolSize: 2, log });
  await migratePatiently(database, log);
  await database.close();
}

/** On a busy machine, a connection can take longer than the service waits for it. What a migration has begun, the next one completes. */
async function migratePatiently(database: Database, log: Logger): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      await migrate(database, log);
      return;
    } catch (error) {
      if (!(error instanceof DependencyUnavailableError) || attempts === MAX_ATTEMPTS) throw error;
    }
  }
}

async function mysqlTemplate(serverUrl: string): Promise<string> {
  const url = new URL(serverUrl);
  const name = `template_${process.pid}`;
  url.pathname = `/${name}`;
  return onMysqlServer(serverUrl, async (connection) => {
    await connection.query(`CREATE DATABASE ${name}`);
    try {
      await migrateOnce(url.href);
      await connection.query(`USE ${name}`);
      return await dump(connection);
    } finally {
      await connection.query(`DROP DATABASE ${name}`);
    }
  });
}

/** Returns the statements that create the tables and rows of a connection's database. */
async function dump(connection: Connection): Promise<string> {
  const statements = ['SET foreign_key_checks = 0'];
  const [tables] = await connection.query<RowDataPacket[][]>({ sql: 'SHOW TABLES', rowsAsArray: true });
  for (const [table] of tables) {
    const [[created]] = await connection.query<RowDataPacket[]>('SHOW CREATE TABLE ??', [table]);
    statements.push(created!['Create Table']);
    const [rows] = await connection.query<RowDataPacket[][]>({ sql: 'SELECT * FROM ??', rowsAsArray: true }, [table]);
    if (rows.length > 0) statements.push(connection.format('INSERT INTO ?? VALUES ?', [table, rows]));
  }
  return [...statements, 'SET foreign_key_checks = 1'].join(';\n');
}
