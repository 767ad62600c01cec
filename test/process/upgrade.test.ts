// The database and the configuration of each released version, in its minor version: the next version runs on them, their users
// notice nothing, and the released version runs on them again. Until there is a next version, this code with one more migration is it.
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { unpackRelease } from '../support/previous-release.ts';
import { bearer, restClient, sessionOf } from '../support/rest-client.ts';
import { emptyFolder, endProcesses, PROJECT, type ServiceProcess } from '../support/service-process.ts';
import { releasesWithFixture, startIn, unpackFixture, type Credentials } from '../support/upgrade-fixture.ts';

/** What a next version does at first: it adds. */
const EXPANSION = `import { addColumn, createTable, integer, optional, text } from './schema/create-table.ts';
export async function up(schema) {
  await addColumn(schema, 'accounts', 'next_version', optional(text(10)));
  await createTable(schema, 'next_version', { columns: { id: integer }, primaryKey: ['id'] });
}
`;

afterEach(endProcesses);

it('has a fixture of a released version', () => {
  expect(releasesWithFixture().length).toBeGreaterThan(0);
});

describe.each(releasesWithFixture())('the database and the configuration of %s', (release) => {
  it('run on the next version, and on the released version again', { timeout: 240_000 }, async () => {
    const folder = emptyFolder();
    const credentials = unpackFixture(release, folder);

    const [released, next] = [unpackRelease(credentials.source).folder, nextVersion()];
    const upgraded = startIn(folder, next);
    const cookie = await useAll(upgraded, credentials);
    const count = migrationsIn(next) - migrationsIn(released);
    expect(upgraded.logs()).toContainEqual(expect.objectContaining({ msg: 'migrations applied', count }));
    const keySet = await keySetOf(upgraded);
    expect(keySet.map(({ alg }) => alg)).toEqual(['ES256', 'RS256']);
    await upgraded.stop();

    const returned = startIn(folder, released);
    const cookieAfterReturn = await useAll(returned, { ...credentials, cookie });
    expect((await keySetOf(returned)).filter(({ alg }) => alg === 'ES256')).toEqual(keySet.slice(0, 1));
    await returned.stop();

    const again = startIn(folder, next);
    await useAll(again, { ...credentials, cookie: cookieAfterReturn });
    expect(await keySetOf(again)).toEqual(keySet);
    await again.stop();
  });
});

const migrationsIn = (code: string) =>
  readdirSync(join(code, 'migrations')).filter((name) => /^\d{4}_/.test(name)).length;

/** This code with one more migration. */
function nextVersion(): string {
  const folder = join(emptyFolder(), 'next');
  mkdirSync(folder);
  for (const name of ['src', 'gateway', 'proto', 'migrations', 'web/dist', 'package.json']) {
    cpSync(join(PROJECT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'migrations/9999_next_version.ts'), EXPANSION);
  return `${folder}/`;
}

/** Returns the keys that verify tokens: of access tokens first, then those of ID tokens, which the first start creates. */
async function keySetOf(service: ServiceProcess): Promise<readonly { readonly alg: string }[]> {
  const { http } = await service.ready();
  return (await restClient(http).send('GET', '/.well-known/jwks.json')).body.keys;
}

/** Uses each credential and reads the records. Returns the next refresh cookie. */
async function useAll(service: ServiceProcess, credentials: Credentials): Promise<string> {
  const { http } = await service.ready();
  const client = restClient(http);
  const { username, password, customer } = credentials;

  const renewed = sessionOf(await client.refresh(credentials.cookie));
  expect((await client.me(renewed.accessToken)).body).toMatchObject({ username, tenantId: 'acme' });
  const login = sessionOf(await client.login({ username, password }));
  const headers = bearer(login.accessToken);
  expect((await client.send('GET', `/api/v1/customers/${customer.id}`, { headers })).body).toMatchObject(customer);
  expect((await client.send('GET', '/api/v1/orders', { headers })).body).toHaveLength(1);
  expect((await client.send('GET', '/api/v1/roles', { headers })).text).toContain('INVOICE_CLERK');
  const events = (await client.send('GET', '/api/v1/audit-records?events=login.failed', { headers })).body;
  expect(events.length).toBeGreaterThan(0);

  const me = await client.send('GET', '/api/v1/auth/me', { headers: { 'x-api-key': credentials.apiKey } });
  expect(me.body).toMatchObject({ username: credentials.clientId });
  const granted = await client.send('POST', '/api/v1/auth/token', {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64')}`,
    },
    body: 'grant_type=client_credentials',
  });
  expect(granted).toMatchObject({ status: 200, body: { token_type: 'Bearer' } });
  expect((await client.logout({ accessToken: login.accessToken, cookie: login.cookie })).status).toBe(200);
  return renewed.cookie;
}
