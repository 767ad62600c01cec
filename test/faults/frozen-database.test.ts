// A database that stops responding without closing connections, and later continues with the received statements.
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { privateServer, SERVER_ENGINE } from '../support/databases.ts';
import { deploy, TRANSPORTS, type Deployment } from '../support/deployment.ts';
import { expectOutage, expectOutageEverywhere, generationOf, timed } from '../support/outages.ts';
import { restClient, sessionOf, type RestClient } from '../support/rest-client.ts';
import { seedSession, type SeededSession } from '../support/sessions.ts';

// A thawed server needs this long, and far less, to carry out what waits in its connections.
const SETTLE_MS = 1_000;
const CLIENTS = 20;
// Until everybody has given up, and about the time at which that happens.
const FROSTS_MS = [Infinity, 2_500, 2_900, Infinity, 3_100];

let server: Awaited<ReturnType<typeof privateServer>>;
beforeAll(async () => {
  server = await privateServer();
});
afterEach(() => server?.thaw());
afterAll(() => server?.stop());

describe.each(TRANSPORTS)('a frozen database server, over %s', (transport) => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy({ engine: SERVER_ENGINE, transport, databaseUrl: server.url });
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  it('returns an outage at every endpoint, and no call of that time is executed later', async () => {
    const session = await seedSession(deployment, account);
    const { accessToken } = await rest.open(account.username);
    await server.freeze();
    await expectOutageEverywhere(rest, session, account);
    // Now without a connection that was open before.
    await expectOutageEverywhere(rest, session, account);
    server.thaw();
    await sleep(SETTLE_MS);

    const sessions = await deployment.database.query(
      'SELECT generation, revoked_at FROM session_families WHERE id = ?',
      [idToBytes(session.id)],
    );
    expect(sessions).toEqual([{ generation: 1, revoked_at: null }]);
    expect(
      await deployment.database.query('SELECT id FROM token_blacklist WHERE id = ?', [idToBytes(session.id)]),
    ).toEqual([]);
    expect(
      await deployment.database.query('SELECT login_failed_count FROM accounts WHERE id = ?', [idToBytes(account.id)]),
    ).toEqual([{ login_failed_count: 0 }]);
    expect((await rest.me(session.accessToken)).status).toBe(200);
    expect((await rest.me(accessToken)).status).toBe(200);
    const renewed = sessionOf(await rest.refresh(session.cookie));
    expect((await rest.logout(renewed)).status).toBe(200);
    expect((await rest.login({ username: account.username, password: PASSWORD })).status).toBe(200);
  });
});

describe('a database server that freezes under a load of refreshes', () => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy({ engine: SERVER_ENGINE, transport: 'local', databaseUrl: server.url });
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database);
    await keepJournal();
  });
  afterAll(() => deployment?.close());

  /** Refreshes without a pause until that fails or the round is over. */
  async function keepRefreshing({ id, cookie }: SeededSession, over: AbortSignal) {
    while (!over.aborted) {
      const refresh = await timed(() => rest.refresh(cookie));
      if (refresh.response.status !== 200) return { id, cookie, refused: { ...refresh, at: Date.now() } };
      cookie = sessionOf(refresh.response).cookie;
    }
    return { id, cookie, refused: undefined };
  }

  it('loses no acknowledged refresh and executes no rejected one, whenever it continues', async () => {
    let refusals = 0;
    let responsesLost = 0;
    for (const frostMs of FROSTS_MS) {
      const sessions = await Promise.all(Array.from({ length: CLIENTS }, () => seedSession(deployment, account)));
      const over = new AbortController();
      const clients = Promise.all(sessions.map((session) => keepRefreshing(session, over.signal)));
      await sleep(100 + Math.random() * 200);
      await server.freeze();
      const frozenAt = Date.now();
      await (frostMs === Infinity ? clients : sleep(frostMs));
      server.thaw();
      await sleep(SETTLE_MS);
      over.abort();

      for (const { id, cookie, refused } of await clients) {
        const acknowledged = generationOf(cookie);
        const { generation, revoked } = await stateOf(deployment.database, id);
        expect(revoked).toBe(false);
        if (refused) {
          expectOutage(refused, 'refresh');
          refusals += 1;
        }
        if (!refused || generation === acknowledged) {
          expect((await rest.refresh(cookie)).status).toBe(200);
          continue;
        }
        // Only the response was lost, which nothing can undo: the database began before the frost or ended before the refusal.
        expect(generation).toBe(acknowledged + 1);
        const { started, done } = await journalOf(deployment.database, id, generation);
        const times = `frozen ${frozenAt}, started ${started}, done ${done}, refused ${refused.at}`;
        expect(started <= frozenAt || done <= refused.at, times).toBe(true);
        responsesLost += 1;
      }
    }
    console.log(`${refusals} refreshes refused, ${responsesLost} of them carried out before that`);
    expect(refusals).toBeGreaterThanOrEqual(2 * CLIENTS);
    expect(
      await deployment.database.query("SELECT id FROM audit_records WHERE event = 'session.refresh-token-replayed'"),
    ).toEqual([]);
  }, 60_000);

  it('that continues in time only takes longer', async () => {
    const sessions = await Promise.all(Array.from({ length: CLIENTS }, () => seedSession(deployment, account)));
    await server.freeze();
    const responses = Promise.all(sessions.map(({ cookie }) => rest.refresh(cookie)));
    await sleep(1_000);
    server.thaw();
    for (const response of await responses) expect((await rest.refresh(sessionOf(response).cookie)).status).toBe(200);
  });
});

/** Lets the database write down when each change of a session began and when it was made, by the clock of this machine. */
async function keepJournal(): Promise<void> {
  const connection = await createConnection({ uri: server.url });
  await connection.query('CREATE TABLE refresh_journal (id BINARY(16), generation INT, started BIGINT, done BIGINT)');
  const ms = (time: string) => `CAST(UNIX_TIMESTAMP(${time}) * 1000 AS SIGNED)`;
  // MySQL prepares no CREATE TRIGGER.
  await connection.query(`CREATE TRIGGER journal AFTER UPDATE ON session_families FOR EACH ROW
    INSERT INTO refresh_journal VALUES (NEW.id, NEW.generation, ${ms('NOW(3)')}, ${ms('SYSDATE(3)')})`);
  await connection.end();
}

async function journalOf(
  database: Database,
  id: string,
  generation: number,
): Promise<{ started: number; done: number }> {
  const [row] = await database.query<{ started: number; done: number }>(
    'SELECT started, done FROM refresh_journal WHERE id = ? AND generation = ?',
    [idToBytes(id), generation],
  );
  return row!;
}

async function stateOf(database: Database, id: string): Promise<{ generation: number; revoked: boolean }> {
  const [row] = await database.query<{ generation: number; revoked_at: number | null }>(
    'SELECT generation, revoked_at FROM session_families WHERE id = ?',
    [idToBytes(id)],
  );
  return { generation: row!.generation, revoked: row!.revoked_at !== null };
}
