// The database commits, and the response is lost: a proxy cuts the connection after the statement was carried out. The
// caller is told what happened; and what a caller was told did not happen is set back.
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import { idToBytes } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { startMysqlProxy, type MysqlProxy } from '../support/mysql-proxy.ts';
import { expectOutage, timed } from '../support/outages.ts';
import { restClient, sessionOf, type RestClient } from '../support/rest-client.ts';
import { createSessionStores, seedSession } from '../support/sessions.ts';

const ROTATION = /UPDATE session_families.*\s+SET generation/;
const SHARED_ROTATION = /UPDATE \(/;
const LOGIN = /INSERT INTO session_families/;
const LOGOUT = /UPDATE session_families.*\s+SET revoked_at/;

describe(`${SERVER_ENGINE}, the response to a write is lost`, () => {
  let own: TestDatabase;
  let proxy: MysqlProxy;
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;
  /** Past the proxy. */
  let database: Database;

  beforeAll(async () => {
    own = await createTestDatabase(SERVER_ENGINE);
    proxy = await startMysqlProxy(own.url);
    deployment = await deploy({ engine: SERVER_ENGINE, transport: 'local', databaseUrl: proxy.url });
    database = connectDatabase({ url: own.url, poolSize: 1, log: pino({ level: 'silent' }) });
    rest = restClient(deployment.url);
    account = await seedAccount(database);
  });
  afterEach(() => proxy.restore());
  afterAll(async () => {
    await deployment?.close();
    await database?.close();
    await proxy?.close();
    await own?.drop();
  });

  const rowOf = async (id: string) => {
    const [row] = await database.query<{ generation: number; revoked_at: number | null }>(
      'SELECT generation, revoked_at FROM session_families WHERE id = ?',
      [idToBytes(id)],
    );
    return row;
  };
  /** Renews a session, which is refused with 503 as long as an earlier renewal may still arrive. */
  const renewedAtLast = (cookie: string) =>
    expect.poll(async () => (await rest.refresh(cookie)).status, { timeout: 15_000 }).toBe(200);
  const count = async (sql: string, id: string) =>
    (await database.query<{ count: number }>(`SELECT COUNT(*) AS count FROM ${sql}`, [idToBytes(id)]))[0]!.count;
  const sessionsOf = ({ id }: Account) => count('session_families WHERE account_id = ?', id);
  const logins = ({ id }: Account) => count("audit_records WHERE account_id = ? AND event = 'login.succeeded'", id);

  it('returns the token of a committed refresh, which is the current one', async () => {
    const session = await seedSession(deployment, account);
    const lost = proxy.loseResponse(ROTATION);
    const renewed = sessionOf(await rest.refresh(session.cookie));
    await lost;
    expect(await rowOf(session.id)).toMatchObject({ generation: 2 });
    expect((await rest.refresh(renewed.cookie)).status).toBe(200);
  });

  it('returns the tokens of committed refreshes that shared a statement', async () => {
    const sessions = await Promise.all(Array.from({ length: 12 }, () => seedSession(deployment, account)));
    const lost = proxy.loseResponse(SHARED_ROTATION);
    const renewed = await Promise.all(sessions.map(async ({ cookie }) => sessionOf(await rest.refresh(cookie))));
    await lost;
    for (const { id } of sessions) expect(await rowOf(id)).toMatchObject({ generation: 2, revoked_at: null });
    for (const { cookie } of renewed) expect((await rest.refresh(cookie)).status).toBe(200);
  });

  it('a replay is still one', async () => {
    const session = await seedSession(deployment, account);
    const lost = proxy.loseResponse(ROTATION);
    expect((await rest.refresh(session.cookie)).status).toBe(200);
    await lost;
    expect((await rest.refresh(session.cookie)).status).toBe(401);
    expect((await rowOf(session.id))!.revoked_at).not.toBeNull();
  });

  it('returns a committed login, with one session and one audit record', async () => {
    const other = await seedAccount(database);
    const lost = proxy.loseResponse(LOGIN, { commitOf: true });
    const session = await rest.open(other.username);
    await lost;
    expect((await rest.me(session.accessToken)).status).toBe(200);
    expect([await sessionsOf(other), await logins(other)]).toEqual([1, 1]);
  });

  it('returns success for a committed logout', async () => {
    const session = await seedSession(deployment, account);
    const lost = proxy.loseResponse(LOGOUT, { commitOf: true });
    expect((await rest.logout(session)).status).toBe(200);
    await lost;
    expect((await rest.me(session.accessToken)).status).toBe(401);
  });

  it('sets a rejected refresh back, and does not check its session meanwhile', async () => {
    const session = await seedSession(deployment, account);
    const lost = proxy.loseResponse(ROTATION, { isLast: true });
    const refused = timed(() => rest.refresh(session.cookie));
    await lost;
    expect(await rowOf(session.id)).toMatchObject({ generation: 2 });
    const meanwhile = timed(() => rest.refresh(session.cookie));
    for (const response of await Promise.all([refused, meanwhile])) expectOutage(response, 'refresh');
    proxy.restore();
    await renewedAtLast(session.cookie);
    expect(await rowOf(session.id)).toMatchObject({ generation: 2, revoked_at: null });
  }, 20_000);

  it('a refresh whose caller disconnects is set back', async () => {
    const session = await seedSession(deployment, account);
    const lost = proxy.loseResponse(ROTATION, { isLast: true });
    const caller = new AbortController();
    const refused = fetch(`${deployment.url}/api/v1/auth/refresh`, {
      method: 'POST',
      headers: { cookie: session.cookie },
      signal: caller.signal,
    }).catch(() => 'disconnected');
    await lost;
    caller.abort();
    expect(await refused).toBe('disconnected');
    proxy.restore();
    await renewedAtLast(session.cookie);
  }, 20_000);

  it('leaves no session of a rejected login', async () => {
    const other = await seedAccount(database);
    const lost = proxy.loseResponse(LOGIN, { isLast: true, commitOf: true });
    const refused = timed(() => rest.login({ username: other.username, password: PASSWORD }));
    await lost;
    expect(await sessionsOf(other)).toBe(1);
    expectOutage(await refused, 'login');
    proxy.restore();
    await expect.poll(() => sessionsOf(other), { timeout: 5_000 }).toBe(0);
    await rest.open(other.username);
  }, 20_000);

  it('sets a rotation back that has not arrived yet, and never another one', async () => {
    const sessions = createSessionStores(database);
    const { id, cookie } = await seedSession(deployment, account);
    const usedAt = async () =>
      (await database.query('SELECT refreshed_at FROM session_families WHERE id = ?', [idToBytes(id)]))[0]![
        'refreshed_at'
      ];
    const selector = Buffer.from(cookie.split('=')[1]!.split('.')[0]!, 'base64url');
    const session = (await sessions.findBySelector(selector))!;
    const next = { selector, generation: 2, verifierHash: Buffer.alloc(32, 1) };
    const before = Number(await usedAt());
    // A cluster certifies writes of one row only against each other.
    await sessions.retract(session, next);
    expect(await usedAt()).toBe(before + 1);
    expect((await rest.refresh(cookie)).status).toBe(200);
    await sessions.retract(session, next);
    expect(await rowOf(id)).toMatchObject({ generation: 2 });
  });
});
