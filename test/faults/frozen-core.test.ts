// A core that freezes behind its gateway and later continues with the content of its socket: calls that clients saw fail must
// not be executed.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Database, StoredValue } from '../../src/platform/db/types.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { ENABLED, pathOf } from '../rest/api-key/api-keys.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { expectOutage, timed } from '../support/outages.ts';
import { bearer, restClient, type RestClient } from '../support/rest-client.ts';
import { seedSession, type SeededSession } from '../support/sessions.ts';
import {
  endProcesses,
  FREE_PORTS,
  SHOP_SETTINGS,
  startProgram,
  type ServiceProcess,
} from '../support/service-process.ts';

const REAL_TIME = { now: Date.now, advance: () => {} };
// A thawed core needs this long, and far less, to carry out what waits in its socket.
const SETTLE_MS = 1_000;
const CLIENTS = 20;
const TABLES = ['session_families', 'token_blacklist', 'api_keys', 'audit_records', 'accounts'];

describe.each(ENGINES)('a frozen core, on %s', (engine) => {
  let test: TestDatabase;
  let core: ServiceProcess;
  let rest: RestClient;
  let account: Account;
  let admin: SeededSession;
  let keysPath: string;

  beforeAll(async () => {
    test = await createTestDatabase(engine);
    account = await seedAccount(test.database);
    admin = await seed(await seedAccount(test.database, { roles: ['ADMIN'] }));
    keysPath = pathOf(await seedAccount(test.database, { interactive: false }));
    core = startProgram('core', { settings: { ...SHOP_SETTINGS, ...ENABLED, 'app.database.url': test.url } });
    const { rpc } = await core.ready();
    const gateway = startProgram('gateway', {
      settings: { ...FREE_PORTS, 'app.name': 'my-shop', 'app.env': 'TEST', 'app.gateway.core': `ipv4:${rpc}` },
    });
    rest = restClient((await gateway.ready()).http);
    // The gateway learns the core's clock from its responses, from the quick ones.
    for (let i = 0; i < 10; i += 1) expect((await rest.me(admin.accessToken)).status).toBe(200);
  });
  afterEach(() => core?.signal('SIGCONT'));
  afterAll(async () => {
    await endProcesses();
    await test?.drop();
  });

  const seed = (of: Account) => seedSession({ database: test.database, clock: REAL_TIME }, of);
  const seedSessions = () => Promise.all(Array.from({ length: CLIENTS }, () => seed(account)));
  const login = () => rest.login({ username: account.username, password: PASSWORD });
  const issueKey = () => rest.postJson(keysPath, { label: 'a key' }, bearer(admin.accessToken));

  it('returns an outage, and no call of that time is executed later', async () => {
    const sessions = await seedSessions();
    const leaving = await seedSessions();
    const before = await contentOf(test.database);

    core.signal('SIGSTOP');
    const [refreshes, logouts, logins, keys] = await Promise.all([
      Promise.all(sessions.map(({ cookie }) => timed(() => rest.refresh(cookie)))),
      Promise.all(leaving.map((session) => timed(() => rest.logout(session)))),
      Promise.all([login, login].map((call) => timed(call))),
      Promise.all([issueKey, issueKey].map((call) => timed(call))),
    ]);
    core.signal('SIGCONT');
    for (const refused of refreshes) expectOutage(refused, 'refresh');
    for (const refused of logouts) expectOutage(refused, 'logout');
    for (const refused of logins) expectOutage(refused, 'login');
    for (const { response, ms } of keys) {
      expect(response.status).toBe(503);
      expect(ms).toBeLessThan(5_000);
    }
    expect((await rest.me(admin.accessToken)).status).toBe(200);
    await sleep(SETTLE_MS);

    expect(await contentOf(test.database)).toEqual(before);
    for (const { cookie } of sessions) expect((await rest.refresh(cookie)).status).toBe(200);
    for (const { accessToken, cookie } of leaving) {
      expect((await rest.me(accessToken)).status).toBe(200);
      expect((await rest.refresh(cookie)).status).toBe(200);
    }
    expect((await login()).status).toBe(200);
    expect((await issueKey()).status).toBe(201);
  });

  it('that continues in time only takes longer', async () => {
    const sessions = await seedSessions();
    core.signal('SIGSTOP');
    const responses = Promise.all([...sessions.map(({ cookie }) => rest.refresh(cookie)), login()]);
    await sleep(1_000);
    core.signal('SIGCONT');
    expect((await responses).map(({ status }) => status)).toEqual(Array(CLIENTS + 1).fill(200));
  });
});

/** Everything that a call could have written. */
async function contentOf(database: Database): Promise<unknown> {
  const tables = await Promise.all(TABLES.map((table) => database.query(`SELECT * FROM ${table} ORDER BY id`)));
  const readable = (value: StoredValue) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value);
  return tables.map((rows) => rows.map((row) => Object.values(row).map(readable)));
}
