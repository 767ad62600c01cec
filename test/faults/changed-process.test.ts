// Two services on one database. One loses its way to the database while it renews a session, and the client continues at
// the other.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../src/platform/db/ids.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { startMysqlProxy, type MysqlProxy } from '../support/mysql-proxy.ts';
import { expectOutage, timed } from '../support/outages.ts';
import { restClient, sessionOf, type RestClient } from '../support/rest-client.ts';
import { seedSession } from '../support/sessions.ts';

const ROTATION = /UPDATE session_families.*\s+SET generation/;
const OUTAGE_MS = 5_000;
const ABANDONED_MS = 60_000;

describe(`two services on ${SERVER_ENGINE}`, () => {
  let own: TestDatabase;
  let proxy: MysqlProxy;
  let one: Deployment;
  let other: Deployment;
  let rest: { readonly one: RestClient; readonly other: RestClient };
  let account: Account;

  beforeAll(async () => {
    own = await createTestDatabase(SERVER_ENGINE);
    proxy = await startMysqlProxy(own.url);
    one = await deploy({ engine: SERVER_ENGINE, transport: 'local', databaseUrl: proxy.url });
    other = await deploy({ engine: SERVER_ENGINE, transport: 'local', databaseUrl: own.url });
    rest = { one: restClient(one.url), other: restClient(other.url) };
    account = await seedAccount(own.database);
  });
  afterEach(() => proxy.restore());
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await proxy?.close();
    await own?.drop();
  });

  const rowOf = async (id: string) => {
    const [row] = await own.database.query<{ generation: number; revoked_at: number | null }>(
      'SELECT generation, revoked_at FROM session_families WHERE id = ?',
      [idToBytes(id)],
    );
    return row;
  };

  /** Renews a session at one service, which is cut off from the database at its commit. */
  async function loseRenewal() {
    const session = await seedSession(other, account);
    const lost = proxy.loseResponse(ROTATION, { isLast: true });
    const refused = timed(() => rest.one.refresh(session.cookie));
    await lost;
    expect(await rowOf(session.id)).toMatchObject({ generation: 2, revoked_at: null });
    return { ...session, refused };
  }

  it(`keep a session whose renewal is set back after ${OUTAGE_MS} ms`, async () => {
    const { id, cookie, refused } = await loseRenewal();
    const restored = sleep(OUTAGE_MS).then(() => proxy.restore());
    expectOutage(await timed(() => rest.other.refresh(cookie)), 'refresh');
    expectOutage(await refused, 'refresh');
    await restored;
    let again = await rest.other.refresh(cookie);
    // A loaded machine takes longer to set it back than one call waits.
    for (let tries = 1; again.status === 503 && tries < 5; tries++) again = await rest.other.refresh(cookie);
    expect(again.status).toBe(200);
    expect((await rest.one.refresh(sessionOf(again).cookie)).status).toBe(200);
    expect(await rowOf(id)).toMatchObject({ generation: 3, revoked_at: null });
  }, 20_000);

  it('reject the token only later if the service never comes back', async () => {
    const { id, cookie, refused } = await loseRenewal();
    expectOutage(await timed(() => rest.other.refresh(cookie)), 'refresh');
    expectOutage(await refused, 'refresh');
    other.clock.advance(ABANDONED_MS);
    expect((await rest.other.refresh(cookie)).status).toBe(401);
    expect((await rowOf(id))!.revoked_at).not.toBeNull();
    proxy.restore();
    // It sets its renewal back now. The session stays revoked.
    await expect.poll(() => rowOf(id), { timeout: 10_000 }).toMatchObject({ generation: 1 });
    expect((await rest.one.refresh(cookie)).status).toBe(401);
  }, 20_000);

  it('reject a replay of a token that the other service has exchanged', async () => {
    const { id, cookie } = await seedSession(other, account);
    const renewed = sessionOf(await rest.one.refresh(cookie));
    expect((await rest.other.refresh(cookie)).status).toBe(401);
    expect((await rowOf(id))!.revoked_at).not.toBeNull();
    expect((await rest.one.refresh(renewed.cookie)).status).toBe(401);
  });

  it('reject a replay of a token that a service has exchanged just before it stopped', async () => {
    const stopping = await deploy({ engine: SERVER_ENGINE, transport: 'local', databaseUrl: own.url });
    const { cookie } = await seedSession(other, account);
    const { status } = await restClient(stopping.url).refresh(cookie);
    await stopping.close();
    expect([status, (await rest.other.refresh(cookie)).status]).toEqual([200, 401]);
  });

  it('keep a session whose client goes at the commit, right before its service stops', async () => {
    const stopping = await deploy({ engine: SERVER_ENGINE, transport: 'local', databaseUrl: proxy.url });
    const session = await seedSession(other, account);
    const lost = proxy.loseResponse(ROTATION, { isLast: true });
    const client = new AbortController();
    const headers = { cookie: session.cookie };
    const gone = fetch(`${stopping.url}/api/v1/auth/refresh`, { method: 'POST', headers, signal: client.signal }).catch(
      () => 'gone',
    );
    await lost;
    expect(await rowOf(session.id)).toMatchObject({ generation: 2, revoked_at: null });
    client.abort();
    expect(await gone).toBe('gone');
    proxy.restore();
    await stopping.close();
    expect(await rowOf(session.id)).toMatchObject({ generation: 1, revoked_at: null });
    expect((await rest.other.refresh(session.cookie)).status).toBe(200);
  });
});
