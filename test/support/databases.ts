// Empty, migrated databases for tests, on both engines.
import { randomBytes } from 'node:crypto';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { inject } from 'vitest';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { onMysqlServer, startMysqlServerWith, type MysqlServer } from './mysql-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

export type Engine = 'sqlite' | 'mariadb' | 'mysql';

/** The engines of this run. The last one has a server. */
export const ENGINES: readonly Engine[] = inject('engines');
export const SERVER_ENGINE: Engine = ENGINES.at(-1)!;

export interface TestDatabase {
  /** For app.database.url. */
  readonly url: string;
  readonly database: Database;
  /** Closes the connections and removes the database. */
  drop(): Promise<void>;
}

const log = pino({ level: 'silent' });

/** Returns the cases whose engine belongs to this run. */
export function ofThisRun<const Case extends { readonly engine: Engine }>(cases: readonly Case[]): readonly Case[] {
  return cases.filter(({ engine }) => ENGINES.includes(engine));
}

/** Creates an empty database with the current schema. */
export async function createTestDatabase(engine: Engine): Promise<TestDatabase> {
  const { url, remove } = await COPY[engine]();
  const database = connectDatabase({ url, poolSize: 10, log });
  return {
    url,
    database,
    async drop() {
      await database.close();
      await remove();
    },
  };
}

/** Returns the URL of an empty database without a schema, and a function that removes it. */
export async function createEmptyDatabase(engine: Engine): Promise<CreatedDatabase> {
  return CREATE[engine]();
}

/**
 * Starts a private server with one migrated database. The test may freeze, kill and restart it.
 *
 * @param env Further environment variables of the server.
 * @param options Further options of its command line.
 */
export async function privateServer(
  env: Readonly<Record<string, string>> = {},
  ...options: string[]
): Promise<MysqlServer> {
  const server = await startMysqlServerWith(env, ...options);
  const { url } = await createOnServer(server.url, inject('templates').mysql);
  return Object.create(server, { url: { value: url } }) as MysqlServer;
}

interface CreatedDatabase {
  readonly url: string;
  remove(): Promise<void>;
}

const CREATE: Record<Engine, () => Promise<CreatedDatabase>> = {
  sqlite: async () => createInFolder().created,
  mariadb: () => createOnServer(inject('mysqlUrl')),
  mysql: () => createOnServer(inject('mysqlUrl')),
};

const COPY: Record<Engine, () => Promise<CreatedDatabase>> = {
  async sqlite() {
    const { file, created } = createInFolder();
    copyFileSync(inject('templates').sqlite, file);
    return created;
  },
  mariadb: () => createOnServer(inject('mysqlUrl'), inject('templates').mysql),
  mysql: () => createOnServer(inject('mysqlUrl'), inject('templates').mysql),
};

function createInFolder(): { file: string; created: CreatedDatabase } {
  const folder = temporaryFolder('sqlite-test-');
  const file = join(folder, 'test.db');
  const remove = async () => rmSync(folder, { recursive: true, force: true });
  return { file, created: { url: `sqlite:${file}`, remove } };
}

async function createOnServer(serverUrl: string, template = ''): Promise<CreatedDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onMysqlServer(serverUrl, (connection) => connection.query(`CREATE DATABASE ${name}; USE ${name}; ${template}`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    remove: async () =>
      void (await onMysqlServer(serverUrl, (connection) => connection.query(`DROP DATABASE ${name}`))),
  };
}
