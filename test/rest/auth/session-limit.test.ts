// The maximum number of sessions per account, and the end of very many sessions. `session-limit.timed.test.ts` measures it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { actorOf, clientsOf } from '../../support/world.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { multiplySession } from './many-sessions.ts';

rememberPasswords();

const LIMIT = 3;
const LOGINS = 50;
const MANY = 1_000;

function expectBetween(value: number, lowest: number, highest: number): void {
  expect(value).toBeGreaterThanOrEqual(lowest);
  expect(value).toBeLessThanOrEqual(highest);
}

describe.each(DIAGONAL)('app.security.sessions-per-account ($engine, $transport)', (how) => {
  let deployment: Deployment;
  let rest: RestClient;

  beforeAll(async () => {
    const settings = { 'app.security.sessions-per-account': String(LIMIT) };
    deployment = await deploy({ ...how, settings });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  async function countOpen({ id }: Account): Promise<number> {
    const [row] = await deployment.database.query<{ count: number }>(
      'SELECT COUNT(*) AS count FROM session_families WHERE account_id = ? AND revoked_at IS NULL',
      [idToBytes(id)],
    );
    return row!.count;
  }

  async function countLogins({ id }: Account): Promise<number> {
    const [row] = await deployment.database.query<{ count: number }>(
      "SELECT COUNT(*) AS count FROM audit_records WHERE account_id = ? AND event = 'login.succeeded'",
      [idToBytes(id)],
    );
    return row!.count;
  }

  async function endedOf({ id }: Account): Promise<string[]> {
    const rows = await deployment.database.query<{ details: string }>(
      "SELECT details FROM audit_records WHERE account_id = ? AND event = 'session.revoked' ORDER BY id",
      [idToBytes(id)],
    );
    return rows.map(({ details }) => {
      const { sessionId, reason } = JSON.parse(details);
      expect(reason).toBe('too-many');
      return sessionId;
    });
  }

  it('ends the least recently used session with its access tokens', async () => {
    const account = await seedAccount(deployment.database);
    const [first, second, third] = [
      await seedSession(deployment, account),
      await seedSession(deployment, account),
      await seedSession(deployment, account),
    ];
    deployment.clock.advance(1_000);
    expect((await rest.refresh(first.cookie)).status).toBe(200);
    await rest.open(account.username);
    expect(await endedOf(account)).toEqual([second.id]);
    expect((await rest.me(second.accessToken)).status).toBe(401);
    expect((await rest.refresh(second.cookie)).body.errorCode).toBe('refresh-session-invalid');
    for (const { accessToken } of [first, third]) expect((await rest.me(accessToken)).status).toBe(200);
  });

  it('does not count ended and expired sessions, or those of other accounts', async () => {
    const account = await seedAccount(deployment.database);
    const other = await seedAccount(deployment.database);
    const [expired, ended] = [await seedSession(deployment, account), await seedSession(deployment, account)];
    for (let count = 0; count < LIMIT; count += 1) await seedSession(deployment, other);
    const past = [deployment.clock.now() - 1, idToBytes(expired.id)];
    await deployment.database.execute('UPDATE session_families SET idle_expires_at = ? WHERE id = ?', past);
    await rest.logout(ended);
    for (let count = 0; count < LIMIT; count += 1) await rest.open(account.username);
    expect(await endedOf(account)).toEqual([]);
    expect(await countOpen(other)).toBe(LIMIT);
  });

  it(`limits ${LOGINS} parallel logins`, async () => {
    const account = await seedAccount(deployment.database);
    const credentials = { username: account.username, password: PASSWORD };
    const responses = await Promise.all(Array.from({ length: LOGINS }, () => rest.login(credentials)));
    // A machine that is too slow for all the hashes refuses some.
    const opened = responses.filter(({ status }) => status === 200);
    expect(opened.length).toBeGreaterThan(LIMIT);
    // A login that was stored too late for its caller may have ended another session. It is removed.
    const late = (await countLogins(account)) - opened.length;
    expect(late).toBeGreaterThanOrEqual(0);
    const { length: ended } = await endedOf(account);
    expectBetween(ended, opened.length - LIMIT, opened.length + late - LIMIT);
    expectBetween(await countOpen(account), LIMIT - late, LIMIT);
    const alive = await Promise.all(opened.map(({ body }) => rest.me(body.accessToken)));
    expectBetween(alive.filter(({ status }) => status === 200).length, LIMIT - late, LIMIT);
  });

  it('ends very many sessions by one row, and writes none of them', async () => {
    const { database } = deployment;
    const account = await seedAccount(database);
    const root = await seedAccount(database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const { as } = actorOf(root, await seedSession(deployment, root));
    const session = await seedSession(deployment, account);
    const written = await multiplySession(database, account, MANY);
    const identity = clientsOf(deployment).identity;
    await identity.disableUser({ userId: account.id }, as);
    await identity.enableUser({ userId: account.id }, as);

    expect((await rest.me(session.accessToken)).status).toBe(401);
    expect((await rest.refresh(session.cookie)).body.errorCode).toBe('refresh-session-invalid');
    const [audited] = await database.query<{ details: string }>(
      "SELECT details FROM audit_records WHERE account_id = ? AND event = 'account.disabled'",
      [idToBytes(account.id)],
    );
    expect(JSON.parse(audited!.details)).toEqual({ sessionsEnded: written });
    expect(await countOpen(account)).toBe(written);

    const { accessToken } = await rest.open(account.username);
    expect((await rest.me(accessToken)).status).toBe(200);
  });
});

describe.each(DIAGONAL)('all sessions of an account ended at once ($engine, $transport)', (how) => {
  const HOUR_MS = 3_600_000;
  let deployment: Deployment;
  let rest: RestClient;

  beforeAll(async () => {
    deployment = await deploy(how);
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  async function endAll(account: Account): Promise<void> {
    const root = await seedAccount(deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const { as } = actorOf(root, await seedSession(deployment, root));
    await clientsOf(deployment).session.revokeUserSessions({ userId: account.id }, as);
  }

  it('ends sessions that another process created with its clock ahead, but no later ones', async () => {
    const account = await seedAccount(deployment.database);
    const ahead = await seedSession(deployment, account);
    // The same session as the clock of the other process would have named it.
    const later = idToBytes(v7({ msecs: deployment.clock.now() + HOUR_MS }));
    await deployment.database.execute('UPDATE session_families SET id = ? WHERE id = ?', [later, idToBytes(ahead.id)]);
    const early = await rest.open(account.username);
    await endAll(account);

    expect((await rest.refresh(ahead.cookie)).body.errorCode).toBe('refresh-session-invalid');
    expect((await rest.me(early.accessToken)).status).toBe(401);
    const opened = await rest.open(account.username);
    expect((await rest.me(opened.accessToken)).status).toBe(200);
    expect((await rest.refresh(opened.cookie)).status).toBe(200);
    await endAll(account);
    expect((await rest.me(opened.accessToken)).status).toBe(401);
  });

  it('no longer lists ended sessions, and ends each once', async () => {
    const account = await seedAccount(deployment.database);
    const session = await seedSession(deployment, account);
    const root = await seedAccount(deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const { as } = actorOf(root, await seedSession(deployment, root));
    const { session: service } = clientsOf(deployment);
    expect(await service.revokeUserSessions({ userId: account.id }, as)).toEqual({ revoked: 1 });
    expect(await service.revokeUserSessions({ userId: account.id }, as)).toEqual({ revoked: 0 });
    expect((await service.listUserSessions({ userId: account.id, page: undefined }, as)).sessions).toEqual([]);
    await expect(service.revokeSession({ sessionId: session.id }, as)).rejects.toThrow();
  });
});
