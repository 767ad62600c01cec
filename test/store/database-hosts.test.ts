// A database URL with two servers: the first that can be used is used, and again when it is back.
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { onMysqlServer, startMysqlServer, type MysqlServer } from '../support/mysql-server.ts';

const log = pino({ level: 'silent' });
/** One check of the hosts and the pause of a host that failed. */
const PATIENCE = { timeout: 12_000, interval: 100 };

describe('a database URL with two hosts', () => {
  let servers: MysqlServer[];
  let db: Database;
  beforeAll(async () => {
    servers = await Promise.all([startMysqlServer(), startMysqlServer()]);
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));
  beforeEach(() => {
    const [first, second] = servers.map(({ url }) => new URL(url));
    db = connectDatabase({
      url: `mysql://root@${first!.host},${second!.host}/information_schema`,
      poolSize: 3,
      log,
    });
  });
  afterEach(() => db.close());

  const portOf = (index: number) => Number(new URL(servers[index]!.url).port);
  const port = async () => (await db.query<{ port: number }>('SELECT @@port AS port'))[0]!.port;
  const setReadOnly = (index: number, value: 0 | 1) =>
    onMysqlServer(servers[index]!.url, (connection) => connection.query(`SET GLOBAL read_only = ${value}`));

  it('uses the second while the first is down, without a failed read, and returns', async () => {
    expect(await Promise.all([port(), port(), port()])).toEqual(Array(3).fill(portOf(0)));
    await servers[0]!.kill();
    expect(await Promise.all([port(), port(), port()])).toEqual(Array(3).fill(portOf(1)));
    await servers[0]!.restart();
    await expect.poll(port, PATIENCE).toBe(portOf(0));
  });

  it('uses the second while the first is frozen, for statements that were under way too', async () => {
    await port();
    const running = db.query<{ port: number }>('SELECT @@port AS port, SLEEP(1.5) AS slept');
    await servers[0]!.freeze();
    try {
      // The check of the hosts ends the statement, long before its own limit.
      await expect.poll(port, { timeout: 4_000, interval: 10 }).toBe(portOf(1));
      expect((await running)[0]!.port).toBe(portOf(1));
    } finally {
      servers[0]!.thaw();
    }
    await expect.poll(port, PATIENCE).toBe(portOf(0));
  });

  it('does not use a read-only server', async () => {
    await port();
    await setReadOnly(0, 1);
    await expect.poll(port, PATIENCE).toBe(portOf(1));
    await setReadOnly(1, 1);
    await expect
      .poll(() => port().then(String, (error: unknown) => error), PATIENCE)
      .toSatisfy(
        (error: unknown) => error instanceof DependencyUnavailableError && error.message.includes('read-only server'),
      );
    await setReadOnly(1, 0);
    await setReadOnly(0, 0);
    await expect.poll(() => port().catch(() => 0), PATIENCE).toBe(portOf(0));
  });
});
