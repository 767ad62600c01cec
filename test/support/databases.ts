// Fresh, migrated databases for tests, on either engine.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { inject } from 'vitest';
import { connectDatabase } from '../../src/db/connect.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Database } from '../../src/db/types.ts';
import { startMysqlServer, type MysqlServer } from './mysql-server.ts';

export const ENGINES = ['sqlite', 'mariadb'] as const;
export type Engine = (typeof ENGINES)[number];

export interface TestDatabase {
  /** For app.database.url. */
  readonly url: string;
  readonly database: Database;
  /** Closes the connections and removes the database. */
  drop(): Promise<void>;
}

const log = pino({ level: 'silent' });

/** Makes a database with the current schema and nothing in it. */
export async function createTestDatabase(engine: Engine): Promise<TestDatabase> {
  return open(await CREATE[engine]());
}

/** A URL of an empty database without a schema, and what removes it. */
export async function createEmptyDatabase(engine: Engine): Promise<{ url: string; remove(): Promise<void> }> {
  return CREATE[engine]();
}

/** A server of one's own with one migrated database, which a test may freeze, kill and restart. */
export async function privateServer(): Promise<MysqlServer> {
  const server = await startMysqlServer();
  const created = await createOnServer(server.url);
  const { database } = await open(created);
  await database.close();
  return Object.create(server, { url: { value: created.url } }) as MysqlServer;
}

const CREATE: Record<Engine, () => Promise<{ url: string; remove(): Promise<void> }>> = {
  async sqlite() {
    const directory = mkdtempSync(join(tmpdir(), 'sqlite-test-'));
    return {
      url: `sqlite:${join(directory, 'test.db')}`,
      remove: async () => rmSync(directory, { recursive: true, force: true }),
    };
  },
  mariadb: () => createOnServer(inject('mysqlUrl')),
};

async function createOnServer(serverUrl: string): Promise<{ url: string; remove(): Promise<void> }> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, remove: () => onServer(serverUrl, `DROP DATABASE ${name}`) };
}

async function onServer(serverUrl: string, sql: string): Promise<void> {
  const url = new URL(serverUrl);
  url.pathname = '/information_schema';
  const database = connectDatabase({ url: url.href, poolSize: 1, log });
  try {
    await database.execute(sql);
  } finally {
    await database.close();
  }
}

async function open({ url, remove }: { url: string; remove(): Promise<void> }): Promise<TestDatabase> {
  const database = connectDatabase({ url, poolSize: 10, log });
  await migrate(database, log);
  return {
    url,
    database,
    async drop() {
      await database.close();
      await remove();
    },
  };
}
