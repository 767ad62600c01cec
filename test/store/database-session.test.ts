// A server whose configuration and init_connect change the sessions of the service's user. Such a user has no SUPER privilege.
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { seedAccount } from '../support/accounts.ts';
import { SERVER_ENGINE } from '../support/databases.ts';
import { inMs } from '../support/deadlines.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { onMysqlServer, startMysqlServer, type MysqlServer } from '../support/mysql-server.ts';
import { restClient, sessionOf, type RestClient } from '../support/rest-client.ts';

const isMariaDb = SERVER_ENGINE === 'mariadb';

/** Each value makes some statement fail, change nothing, or return something else. */
const HOSTILE: Readonly<Record<string, string>> = {
  autocommit: '0',
  completion_type: "'RELEASE'",
  foreign_key_checks: '0',
  unique_checks: '0',
  sql_safe_updates: '1',
  sql_auto_is_null: '1',
  sql_select_limit: '1',
  max_join_size: '1',
  sql_big_selects: '0',
  max_sort_length: isMariaDb ? '64' : '4',
  group_concat_max_len: '4',
  sql_mode: "'ANSI,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH'",
  time_zone: "'+05:30'",
  innodb_lock_wait_timeout: '50',
  ...(isMariaDb
    ? { tx_isolation: "'SERIALIZABLE'", tx_read_only: '1' }
    : { transaction_isolation: "'SERIALIZABLE'", transaction_read_only: '1' }),
};
const SERVER_DEFAULTS: Readonly<Record<string, string>> = {
  default_storage_engine: "'MyISAM'",
  character_set_server: "'latin1'",
  ...(isMariaDb && { innodb_force_primary_key: '1' }),
};

/** With the timestamp, NOW() stands still. */
const IN_SESSION = 'SET NAMES latin1; SET timestamp = 1000000000';

const INIT_CONNECT = [...Object.entries(HOSTILE).map((entry) => `SET SESSION ${entry.join(' = ')}`), IN_SESSION].join(
  '; ',
);

describe('a server whose init_connect changes sessions', () => {
  let server: MysqlServer;
  let url: string;
  let database: Database;
  let deployment: Deployment;
  let client: RestClient;

  beforeAll(async () => {
    server = await startMysqlServer();
    const settings = Object.entries(SERVER_DEFAULTS).map((entry) => `GLOBAL ${entry.join(' = ')}`);
    await onMysqlServer(server.url, (connection) =>
      connection.query(`CREATE DATABASE service CHARACTER SET latin1; CREATE USER app; GRANT ALL ON service.* TO app;
        SET ${settings.join(', ')}, GLOBAL init_connect = '${INIT_CONNECT.replaceAll("'", "''")}'`),
    );
    url = server.url.replace('root@', 'app@').concat('service');
    const log = pino({ level: 'silent' });
    database = connectDatabase({ url, poolSize: 4, log });
    await migrate(database, log);
    deployment = await deploy({ engine: SERVER_ENGINE, transport: 'local', databaseUrl: url, isPatient: true });
    client = restClient(deployment.url);
  });
  afterAll(async () => {
    await deployment?.close();
    await database?.close();
    await server?.stop();
  });

  const addTenants = (...ids: string[]) =>
    database.transaction(inMs(60_000), async (tx) => {
      for (const id of ids)
        await tx.execute(
          "INSERT INTO tenants (id, name, status, created_at, updated_at) VALUES (?, ?, 'ACTIVE', 0, 0)",
          [Buffer.from(id), `${'x'.repeat(100)}${id}`],
        );
    });

  it('gets all tables of the service, with its engine and character set', async () => {
    const others = await database.query(
      `SELECT table_name AS name, engine, table_collation AS collation FROM information_schema.tables
        WHERE table_schema = DATABASE() AND (engine <> 'InnoDB' OR table_collation <> 'utf8mb4_bin')`,
    );
    expect(others).toEqual([]);
  });

  it('writes and reads as any other server', async () => {
    await addTenants('b', 'a', 'ü');
    const names = await database.query<{ id: Uint8Array }>('SELECT id FROM tenants ORDER BY name');
    expect(names.map(({ id }) => Buffer.from(id).toString())).toEqual(['a', 'b', 'ü']);
    expect(await database.execute("UPDATE tenants SET name = 'Ünï 🌷'")).toBe(3);
    expect(await database.query('SELECT COUNT(*) AS n, MAX(name) AS name FROM tenants')).toEqual([
      { n: 3, name: 'Ünï 🌷' },
    ]);
    expect(await database.execute('DELETE FROM tenants')).toBe(3);
  });

  it('logs in, refuses a wrong password, refreshes and logs out', async () => {
    const account = await seedAccount(database, { roles: ['ADMIN'] });
    const refused = await client.login({ username: account.username, password: 'wrong-password' });
    expect(refused.status).toBe(401);
    const login = await client.open(account.username);
    const renewed = sessionOf(await client.refresh(login.cookie));
    expect((await client.me(renewed.accessToken)).status).toBe(200);
    expect((await client.logout(renewed)).status).toBe(200);
    expect((await client.refresh(renewed.cookie)).status).toBe(401);
  });
});
