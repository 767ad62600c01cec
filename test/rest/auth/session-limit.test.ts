// How many sessions an account may have, and that ending very many of them is quick.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/db/ids.ts';
import type { Account } from '../../../src/identity/account.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { ENGINES } from '../../support/databases.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { actorOf, clientsOf } from '../../rpc/admin/world.ts';

const LIMIT = 3;
const LOGINS = 50;
const MANY = 100_000;
/** As many as one statement can write in time on a slow machine. */
const BLOCK = 8_192;
const RANDOM = { sqlite: 'randomblob(16)', mysql: 'RANDOM_BYTES(16)' };

describe.each(ENGINES)('app.security.sessions-per-account (%s)', (engine) => {
  let deployment: Deployment;
  let rest: RestClient;

  beforeAll(async () => {
    const settings = { 'app.security.sessions-per-account': String(LIMIT) };
    deployment = await deploy({ engine, transport: 'grpc', settings });
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

  it('ends the session used least recently, with its access tokens', async () => {
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

  it('counts neither ended nor expired sessions, nor those of others', async () => {
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

  it(`holds for ${LOGINS} logins at once`, async () => {
    const account = await seedAccount(deployment.database);
    const credentials = { username: account.username, password: PASSWORD };
    const answers = await Promise.all(Array.from({ length: LOGINS }, () => rest.login(credentials)));
    // A machine that is too slow for all the hashes refuses some.
    const opened = answers.filter(({ status }) => status === 200);
    expect(opened.length).toBeGreaterThan(LIMIT);
    expect(await countOpen(account)).toBe(LIMIT);
    expect(await endedOf(account)).toHaveLength(opened.length - LIMIT);
    const alive = await Promise.all(opened.map(({ body }) => rest.me(body.accessToken)));
    expect(alive.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
  });

  it('does not slow down what ends 100,000 sessions', async () => {
    const { database } = deployment;
    const account = await seedAccount(database);
    const root = await seedAccount(database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const { as } = actorOf(root, await seedSession(deployment, root));
    const session = await seedSession(deployment, account);
    const columns =
      'verifier_hash, generation, credential_form, remember_me, client_address, created_at, refreshed_at, idle_expires_at, access_expires_at';
    const started = performance.now();
    for (let written = 1; written < MANY;) {
      written += await database.execute(
        `INSERT INTO session_families (tenant_id, account_id, id, selector, ${columns})
         SELECT tenant_id, account_id, ${RANDOM[database.engine]}, ${RANDOM[database.engine]}, ${columns}
           FROM session_families WHERE account_id = ? LIMIT ${BLOCK}`,
        [idToBytes(account.id)],
      );
    }
    const writtenMs = performance.now() - started;
    const disabling = performance.now();
    await clientsOf(deployment).identity.disableUser({ userId: account.id }, as);
    const disabledMs = performance.now() - disabling;

    expect(await countOpen(account)).toBe(0);
    const [listed] = await database.query<{ count: number }>('SELECT COUNT(*) AS count FROM token_blacklist');
    expect(listed!.count).toBeGreaterThanOrEqual(MANY);
    expect((await rest.me(session.accessToken)).status).toBe(401);
    // Row by row it took ten times as long as writing them by a few statements.
    expect(disabledMs).toBeLessThan(writtenMs);
  });
});
