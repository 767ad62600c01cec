// An upgrade without an outage: the previous release's code on the schema of this one, beside this one's code, and on a schema
// that the next release has expanded.
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/auth/access/account.ts';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { unpackPreviousRelease } from '../support/previous-release.ts';
import { restClient, sessionOf, type RestClient } from '../support/rest-client.ts';
import { endProcesses, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

describe('the previous release on the schema of this one', () => {
  let test: TestDatabase;
  let account: Account;
  let previous: RestClient;
  let current: RestClient;

  beforeAll(async () => {
    test = await createTestDatabase(SERVER_ENGINE);
    account = await seedAccount(test.database, { roles: ['ADMIN'] });
    await expandSchema(test);
    const { name, folder } = unpackPreviousRelease();
    console.log(`Previous release: ${name}`);
    const issuer = 'https://auth.acme.test';
    const settings = {
      ...SHOP_SETTINGS,
      'app.rpc.enabled': 'false',
      'app.database.url': test.url,
      'app.security.jwt.issuer': issuer,
    };
    const services = [
      startProgram('gateway', { settings, project: folder }),
      // With the OpenID provider.
      startProgram('gateway', { settings: { ...settings, 'app.public-url': issuer } }),
    ];
    const [old, own] = await Promise.all(services.map((service) => service.ready()));
    previous = restClient(old!.http);
    current = restClient(own!.http);
    // The packages of the previous release, where they differ, and a new column in each table.
  }, 300_000);
  afterAll(async () => {
    await endProcesses();
    await test?.drop();
  });

  it.each([
    ['the previous one', 'this one', () => [previous, current] as const],
    ['this one', 'the previous one', () => [current, previous] as const],
  ])('%s opens sessions that %s uses, refreshes and ends', async (_one, _other, clients) => {
    const [one, other] = clients();
    const login = await one.open(account.username);
    expect((await other.me(login.accessToken)).body).toMatchObject({ username: account.username });
    const renewed = sessionOf(await other.refresh(login.cookie));
    expect((await one.me(renewed.accessToken)).status).toBe(200);
    const again = sessionOf(await one.refresh(renewed.cookie));
    expect((await other.logout(again)).status).toBe(200);
    expect((await one.me(again.accessToken)).status).toBe(401);
    expect((await one.refresh(again.cookie)).status).toBe(401);
  });

  it.each([
    ['the previous one', 'this one', () => [previous, current] as const],
    ['this one', 'the previous one', () => [current, previous] as const],
  ])('%s ends a session whose token %s has exchanged', async (_one, _other, clients) => {
    const [one, other] = clients();
    const login = await one.open(account.username);
    const renewed = sessionOf(await one.refresh(login.cookie));
    const again = sessionOf(await other.refresh(renewed.cookie));
    expect((await one.refresh(renewed.cookie)).status).toBe(401);
    expect((await other.refresh(again.cookie)).status).toBe(401);
  });

  it('the previous one publishes and signs by the keys of access tokens alone, also after a rotation', async () => {
    const keysOf = async (client: RestClient): Promise<readonly { kid: string; alg: string }[]> =>
      (await client.send('GET', '/.well-known/jwks.json')).body.keys;
    const [before, own] = await Promise.all([keysOf(previous), keysOf(current)]);
    expect(own.map(({ alg }) => alg)).toEqual(['ES256', 'RS256']);
    expect(before).toEqual(own.slice(0, 1));
    const root = await seedAccount(test.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const { accessToken } = await current.open(root.username);
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await current.send('POST', '/api/v1/signing-keys/rotate', { headers })).status).toBe(200);
    const listed = await previous.send('GET', '/api/v1/signing-keys', { headers });
    expect(listed.body.map(({ algorithm, state }: Record<string, string>) => [algorithm, state])).toEqual([
      ['ES256', 'PUBLISHED'],
      ['ES256', 'ACTIVE'],
    ]);
    for (const client of [previous, current]) {
      const { accessToken: token } = await client.open(account.username);
      expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', kid: before[0]!.kid });
    }
  });

  it('both write business records that the other reads', async () => {
    const { accessToken } = await current.open(account.username);
    const headers = { authorization: `Bearer ${accessToken}` };
    for (const [writer, reader, name] of [
      [previous, current, 'Old'],
      [current, previous, 'New'],
    ] as const) {
      const created = await writer.postJson('/api/v1/customers', { name }, headers);
      expect(created.status).toBe(201);
      const read = await reader.send('GET', `/api/v1/customers/${created.body.id}`, { headers });
      expect(read.body).toEqual(created.body);
    }
  });
});

/** What a next release may do at first: every table gets a column, and there is one more table. */
async function expandSchema({ database }: TestDatabase): Promise<void> {
  const rows = await database.query<{ name: string }>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
  );
  expect(rows.length).toBeGreaterThan(20);
  for (const { name } of rows) await database.execute(`ALTER TABLE ${name} ADD COLUMN next_release VARCHAR(10) NULL`);
  await database.execute('CREATE TABLE next_release (id INT PRIMARY KEY)');
  await database.execute("INSERT INTO knex_migrations (name, batch) VALUES ('9999_next_release.ts', 2)");
}
