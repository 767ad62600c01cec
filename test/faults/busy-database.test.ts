// A reachable database without a free connection, a lock or time for the service.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import {
  RefreshTokenTransport,
  RequestOrigin,
  SessionServiceService,
} from '../../proto/gen/authservice/session/v1/session_service.ts';
import { idToBytes } from '../../src/platform/db/ids.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { seedAccount } from '../support/accounts.ts';
import { privateServer, SERVER_ENGINE } from '../support/databases.ts';
import { deploy, TRANSPORTS, type Deployment } from '../support/deployment.ts';
import { expectOutage, expectOutageEverywhere, timed } from '../support/outages.ts';
import { restClient, type RestClient } from '../support/rest-client.ts';
import { seedSession, type SeededSession } from '../support/sessions.ts';

const TABLES = ['session_families', 'token_blacklist', 'accounts', 'tenants', 'audit_records'];
const MAX_CONNECTIONS = 10;

let server: Awaited<ReturnType<typeof privateServer>>;
const others: Connection[] = [];
const connect = async (): Promise<Connection> => {
  const connection = await createConnection({ uri: server.url });
  // Those that the test kills tell of it.
  connection.on('error', () => {});
  others.push(connection);
  return connection;
};
beforeAll(async () => {
  server = await privateServer();
});
afterEach(() => {
  for (const connection of others.splice(0)) connection.destroy();
});
afterAll(() => server?.stop());

describe.each(TRANSPORTS)('a busy database server, over %s', (transport) => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;
  let session: SeededSession;

  beforeAll(async () => {
    const settings = { 'app.database.pool-size': '4' };
    deployment = await deploy({ engine: SERVER_ENGINE, transport, databaseUrl: server.url, settings });
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  /** Everything works, and nothing of what was refused has happened. */
  async function expectUntouched(): Promise<void> {
    await expect.poll(async () => (await rest.me(session.accessToken)).status, { timeout: 6_000 }).toBe(200);
    const sessions = await deployment.database.query(
      'SELECT generation, revoked_at FROM session_families WHERE id = ?',
      [idToBytes(session.id)],
    );
    expect(sessions).toEqual([{ generation: 1, revoked_at: null }]);
    expect((await rest.refresh(session.cookie)).status).toBe(200);
    expect((await rest.open(account.username)).response.status).toBe(200);
  }

  it('returns an outage while its tables are locked', async () => {
    session = await seedSession(deployment, account);
    const other = await connect();
    await other.query(`LOCK TABLES ${TABLES.map((table) => `${table} WRITE`).join(', ')}`);
    await expectOutageEverywhere(rest, session, account);
    await other.query('UNLOCK TABLES');
    await expectUntouched();
  });

  it('returns an outage to calls whose row is locked by another transaction', async () => {
    session = await seedSession(deployment, account);
    const other = await connect();
    await other.query('START TRANSACTION');
    await other.query('SELECT id FROM session_families WHERE id = ? FOR UPDATE', [idToBytes(session.id)]);
    const [refresh, logout, me] = await Promise.all([
      timed(() => rest.refresh(session.cookie)),
      timed(() => rest.logout(session)),
      timed(() => rest.me(session.accessToken)),
    ]);
    expectOutage(refresh, 'refresh');
    expectOutage(logout, 'logout');
    expect(me.response.status).toBe(200);
    await other.query('COMMIT');
    await expectUntouched();
  });

  it('does not execute later a call that waited for a lock until its deadline', async () => {
    session = await seedSession(deployment, account);
    const other = await connect();
    await other.query('START TRANSACTION');
    await other.query('SELECT id FROM session_families WHERE id = ? FOR UPDATE', [idToBytes(session.id)]);
    const sessions = deployment.client(SessionServiceService);
    const refreshTokens = [session.cookie.split('=')[1]!];
    const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE;
    const options = { timeoutMs: 500 };
    const calls = [
      sessions.refresh({ refreshTokens, origin: RequestOrigin.REQUEST_ORIGIN_OWN, refreshTokenTransport }, options),
      sessions.logout({ refreshTokens, refreshTokenTransport }, options),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { status: { reason: expect.stringMatching(/SERVICE_UNAVAILABLE$|^DEADLINE_EXCEEDED$/) } },
      });
    }
    await other.query('COMMIT');
    // Longer than those who waited for the row need, now that they have it.
    await sleep(500);
    await expectUntouched();
  });

  it('returns an outage to many parallel calls with few connections', async () => {
    session = await seedSession(deployment, account);
    const other = await connect();
    await other.query('LOCK TABLES token_blacklist WRITE');
    const crowd = await Promise.all(Array.from({ length: 100 }, () => timed(() => rest.me(session.accessToken))));
    for (const response of crowd) expectOutage(response, 'me');
    await other.query('UNLOCK TABLES');
    await expectUntouched();
  });

  it('returns an outage while it accepts no further connection', async () => {
    session = await seedSession(deployment, account);
    expect((await rest.me(session.accessToken)).status).toBe(200);
    const other = await connect();
    const [[limit]] = (await other.query('SELECT @@max_connections AS most')) as unknown as [[{ most: number }]];
    await other.query(`SET GLOBAL max_connections = ${MAX_CONNECTIONS}`);
    try {
      await takeAllConnections(other);
      await expectOutageEverywhere(rest, session, account);
    } finally {
      await other.query(`SET GLOBAL max_connections = ${limit.most}`);
    }
    await expectUntouched();
  });

  /** Ends the connections of everybody else and takes their places. */
  async function takeAllConnections(other: Connection): Promise<void> {
    const taken = new Set([other.threadId]);
    for (;;) {
      const [rows] = await other.query<RowDataPacket[]>(
        'SELECT id FROM information_schema.processlist WHERE host LIKE ?',
        ['%:%'],
      );
      for (const { id } of rows) if (!taken.has(id)) await other.query(`KILL ${id}`).catch(() => {});
      try {
        taken.add((await connect()).threadId);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ER_CON_COUNT_ERROR' && taken.size > MAX_CONNECTIONS) return;
      }
    }
  }
});
