// app.public-url in real processes: workers, core and gateway apart, and starts that it stops.
import { decodeJwt } from 'jose';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, SERVER_ENGINE, type Engine, type TestDatabase } from '../support/databases.ts';
import { restClient } from '../support/rest-client.ts';
import { endProcesses, FREE_PORTS, freePort, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

const METADATA = '/.well-known/openid-configuration';
const NAME = 'app.public-url';

const databases: TestDatabase[] = [];
afterEach(endProcesses);
afterAll(async () => {
  for (const database of databases) await database.drop();
});

async function newDatabase(engine: Engine) {
  const test = await createTestDatabase(engine);
  databases.push(test);
  return { url: test.url, account: await seedAccount(test.database) };
}

/** On a connection of its own, because connections are shared out among the workers. */
const metadataOf = async (http: string) => {
  const response = await fetch(http + METADATA, { headers: { connection: 'close' } });
  const body = (await response.json()) as Record<string, unknown>;
  return { issuer: body['issuer'], keys: body['jwks_uri'], cache: response.headers.get('cache-control') };
};

it('two workers in DEV have the URL of their port, and accept the tokens of each other', async () => {
  const { url, account } = await newDatabase(SERVER_ENGINE);
  const port = await freePort();
  const settings = { ...SHOP_SETTINGS, 'app.env': 'DEV', 'app.workers': '2', 'app.http.port': port };
  const { http } = await startProgram('gateway', { settings: { ...settings, 'app.database.url': url } }).ready();
  const origin = `http://localhost:${port}`;
  const { accessToken } = await restClient(http).open(account.username);
  expect(decodeJwt(accessToken).iss).toBe(origin);
  for (let request = 0; request < 20; request += 1) {
    const found = await metadataOf(http);
    expect(found).toEqual({ issuer: origin, keys: `${origin}/.well-known/jwks.json`, cache: 'max-age=300' });
    const headers = { authorization: `Bearer ${accessToken}`, connection: 'close' };
    expect((await fetch(`${http}/api/v1/auth/me`, { headers })).status).toBe(200);
  }
});

it('two gateways and a core apart agree, with the setting in both', async () => {
  const { url, account } = await newDatabase('sqlite');
  const publicUrl = { [NAME]: 'https://auth.shop.test' };
  const core = startProgram('core', { settings: { ...SHOP_SETTINGS, ...publicUrl, 'app.database.url': url } });
  const { rpc } = await core.ready();
  const settings = { ...FREE_PORTS, 'app.name': 'my-shop', 'app.gateway.core': `ipv4:${rpc}`, ...publicUrl };
  for (const env of ['PROD', 'TEST']) {
    const { http } = await startProgram('gateway', { settings: { ...settings, 'app.env': env } }).ready();
    expect(await metadataOf(http)).toEqual({
      issuer: publicUrl[NAME],
      keys: `${publicUrl[NAME]}/.well-known/jwks.json`,
      cache: 'max-age=300',
    });
    const rest = restClient(http);
    const { accessToken, cookie } = await rest.open(account.username);
    expect(decodeJwt(accessToken).iss).toBe(publicUrl[NAME]);
    expect((await rest.refresh(cookie, { origin: http })).status).toBe(401);
    expect((await rest.refresh(cookie, { origin: publicUrl[NAME] })).status).toBe(200);
  }
});

describe('a start in PROD', () => {
  it.each([
    ['gateway', 'https://shop.test/shop', 'its path must be app.http.context-path, which is any'],
    ['gateway', 'http://auth.shop.test', 'must be https with app.env=PROD'],
    ['core', 'http://auth.shop.test', 'must be https with app.env=PROD'],
  ] as const)('of the %s with %s stops', async (program, url, message) => {
    const settings = {
      ...SHOP_SETTINGS,
      'app.env': 'PROD',
      'app.database.url': 'sqlite:service.db',
      'app.gateway.core': 'dns:///core:50051',
      [NAME]: url,
    };
    const service = startProgram(program, { settings });
    expect((await service.exited).code).toBe(78);
    expect(service.output()).toContain(`${NAME}: ${message}`);
  });

  it('without the setting has app.name as issuer, and no cache keeps the metadata', async () => {
    const { url } = await newDatabase('sqlite');
    const settings = { ...SHOP_SETTINGS, 'app.env': 'PROD', 'app.database.url': url };
    const { http } = await startProgram('gateway', { settings }).ready();
    expect(await metadataOf(http)).toEqual({
      issuer: 'my-shop',
      keys: `${http}/.well-known/jwks.json`,
      cache: 'no-store',
    });
  });
});
