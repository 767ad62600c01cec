// The same rules in every framework of docs/frameworks, against the real service.
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { endProcesses, PROJECT } from '../../support/service-process.ts';
import { run } from '../commands.ts';
import { pythonEnvironment } from '../python-environment.ts';
import { openWorkspace } from '../workspace.ts';
import {
  ADMIN,
  AUDIENCE,
  CLIENT,
  MANAGER,
  ROOT,
  startAuthService,
  STRANGER,
  TENANT,
  WATCHER,
  type AuthService,
} from './auth-service.ts';
import { BAD_TOKEN_NAMES, badToken, type Forged } from './bad-tokens.ts';
import {
  SHOPS,
  SPRING_VERSIONS,
  startFollowing,
  startShops,
  type DiscoveringShops,
  type NamedShop,
  type Shops,
  type ShopSettings,
} from './shops.ts';

let auth: AuthService;
let shops: Shops;

beforeAll(async () => {
  // A path makes it harder to find the metadata: each library looks elsewhere.
  auth = await startAuthService('/auth');
  shops = await startShops(openWorkspace(), settingsFor(auth));
});
afterAll(async () => {
  await shops?.stop();
  await endProcesses();
});

const settingsFor = ({ issuer }: AuthService): ShopSettings => ({
  AUTH_ISSUER: issuer,
  AUTH_AUDIENCE: AUDIENCE,
  AUTH_CLIENT_ID: CLIENT.id,
  AUTH_CLIENT_SECRET: CLIENT.secret,
  AUTH_TENANT: TENANT,
});
const get = ({ name }: NamedShop, path: string, token?: string) =>
  fetch(shops.urls[name] + path, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
const statusOf = async (shop: NamedShop, path: string, token?: string) => (await get(shop, path, token)).status;

describe.each<NamedShop>(SHOPS)('$name', (shop) => {
  const asks = shop.by === 'introspection';
  let token: string;
  let good: Forged;

  beforeAll(async () => {
    token = await auth.login(MANAGER);
    good = await auth.forge(token);
  });

  it('accepts a user and reads the account', async () => {
    const response = await get(shop, '/me', token);
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain(`"${good.claims.sub}"`);
    expect(text).toContain('"acme"');
  });

  it('accepts a machine client', async () => {
    expect(await statusOf(shop, '/me', await auth.machineToken())).toBe(200);
  });

  it(`${asks ? 'accepts' : 'refuses'} an API key`, async () => {
    expect(await statusOf(shop, '/me', await auth.apiKey())).toBe(asks ? 200 : 401);
  });

  it('refuses users of another tenant and without a tenant', async () => {
    const status = shop.foreign ?? 401;
    expect(await statusOf(shop, '/me', await auth.login(ROOT))).toBe(status);
    expect(await statusOf(shop, '/me', await auth.login(STRANGER))).toBe(status);
  });

  it('accepts a token that is made like the bad ones, without their faults', async () => {
    expect(await statusOf(shop, '/me', good.by.signed(good.claims))).toBe(200);
  });

  it('rejects a request without a token', async () => {
    const response = await get(shop, '/me');
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Bearer/),
    ]);
  });

  it.each(BAD_TOKEN_NAMES)('%s', async (name) => {
    const status = shop.exceptions?.[name] ?? 401;
    const response = await get(shop, '/me', badToken(name, good));
    expect(response.status).toBe(status);
    if (status === 401) expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it.each(shop.demands)('requires the permission of %s', async (path) => {
    expect(await statusOf(shop, path, token)).toBe(403);
    expect(await statusOf(shop, path, await auth.login(ADMIN))).toBe(200);
  });

  it(
    asks ? 'refuses the first request after a logout' : 'accepts a token after the logout, until it expires',
    async () => {
      const token = await auth.login(MANAGER);
      expect(await statusOf(shop, '/me', token)).toBe(200);
      await auth.logout(token);
      expect(await statusOf(shop, '/me', token)).toBe(asks ? 401 : 200);
    },
  );
});

describe.each(['/auth', ''])('libraries that start with the public URL alone, with the path "%s"', (path) => {
  let own: AuthService;
  let found: DiscoveringShops;

  beforeAll(async () => {
    own = path === '' ? await startAuthService() : auth;
    const { urls, spring } = shops;
    found =
      path === ''
        ? await shops.startDiscovering(settingsFor(own))
        : { goOidc: urls['Go, go-oidc'], openidClient: urls['Fastify, introspection'], spring };
  });

  const meOf = async (url: string) => {
    const response = await fetch(`${url}/me`, { headers: { authorization: `Bearer ${await own.login(MANAGER)}` } });
    return { status: response.status, challenge: response.headers.get('www-authenticate') };
  };

  it('have this URL as their issuer', () => expect(new URL(own.issuer).pathname).toBe(path === '' ? '/' : path));

  it('go-oidc finds the keys', async () => expect(await meOf(found.goOidc)).toMatchObject({ status: 200 }));

  it('openid-client finds the introspection endpoint', async () =>
    expect(await meOf(found.openidClient)).toMatchObject({ status: 200 }));

  it('Authlib accepts the metadata, gets a token and calls the service with it', async () => {
    const python = join(PROJECT, 'examples/frameworks/python');
    const bin = await pythonEnvironment(join(python, 'requirements.txt'));
    // Authlib refuses plain HTTP otherwise.
    const env = { ...settingsFor(own), AUTHLIB_INSECURE_TRANSPORT: '1' };
    expect(await run(join(bin, 'python3'), [join(python, 'machine.py')], { env })).toBe(`${CLIENT.id}\n`);
  });

  describe.each(SPRING_VERSIONS)('Spring Boot %s', (version) => {
    it('the OAuth client starts, gets a token and calls the service with it', async () => {
      const headers = { authorization: `Bearer ${await own.login(MANAGER)}` };
      const response = await fetch(`${found.spring[version].client}/own-account`, { headers });
      const text = await response.text();
      expect([response.status, text]).toEqual([200, JSON.stringify({ username: CLIENT.id, tenantId: 'acme' })]);
    });

    it('the resource server starts, and finds the keys with a decoder for at+jwt', async () =>
      expect(await meOf(found.spring[version].byDecoder)).toMatchObject({ status: 200 }));

    it('the resource server refuses every token without such a decoder, as the heading of its page says', async () => {
      const { status, challenge } = await meOf(found.spring[version].byIssuer);
      expect(status).toBe(401);
      expect(challenge).toMatch(/at\+jwt not allowed|typ value needs to be one of \[JWT\]/);
    });
  });
});

describe('a key set with the revocation feed', () => {
  const FOLLOWING = ['Spring Boot', 'Go', 'Node', 'Python'];
  let urls: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const settings = { ...settingsFor(auth), AUTH_CLIENT_ID: WATCHER.id, AUTH_CLIENT_SECRET: WATCHER.secret };
    urls = await startFollowing(openWorkspace(), settings);
    const token = await auth.login(MANAGER);
    for (const name of FOLLOWING) await eventually(async () => expect(await askedBy(name, token)).toBe(200));
  });

  const askedBy = async (name: string, token: string) =>
    (await fetch(`${urls[name]}/me`, { headers: { authorization: `Bearer ${token}` } })).status;

  it.each(FOLLOWING)('%s refuses a token within seconds of the logout, and no other', async (name) => {
    const [token, other] = [await auth.login(MANAGER), await auth.login(MANAGER)];
    expect(await askedBy(name, token)).toBe(200);
    await auth.logout(token);
    await expect.poll(() => askedBy(name, token), { timeout: 2_000, interval: 20 }).toBe(401);
    expect(await askedBy(name, other)).toBe(200);
  });

  it.each(FOLLOWING)('%s refuses a disabled account until it is enabled, and users of another tenant', async (name) => {
    const token = await auth.login(ADMIN);
    await auth.setDisabled(token, true);
    await expect.poll(() => askedBy(name, token), { timeout: 2_000, interval: 20 }).toBe(401);
    await auth.setDisabled(token, false);
    const later = await auth.login(ADMIN);
    await expect.poll(() => askedBy(name, later), { timeout: 2_000, interval: 20 }).toBe(200);
    // Its sessions stay ended.
    expect(await askedBy(name, token)).toBe(401);
    expect(await askedBy(name, await auth.login(STRANGER))).toBe(401);
  });

  it('connects again after an outage, and knows the logouts from before it', { timeout: 60_000 }, async () => {
    const [ended, open] = [await auth.login(MANAGER), await auth.login(MANAGER)];
    await auth.logout(ended);
    for (const name of FOLLOWING) await expect.poll(() => askedBy(name, ended), { timeout: 2_000 }).toBe(401);
    await auth.stop();
    for (const name of FOLLOWING)
      expect([name, await askedBy(name, ended), await askedBy(name, open)]).toEqual([name, 401, 200]);
    await auth.start();
    await auth.logout(open);
    for (const name of FOLLOWING) await expect.poll(() => askedBy(name, open), { timeout: 10_000 }).toBe(401);
    for (const name of FOLLOWING) expect([name, await askedBy(name, ended)]).toEqual([name, 401]);
  });
});

it('the key set and the tokens meet the requirements of NGINX Plus', async () => {
  const response = await fetch(new URL('/.well-known/jwks.json', auth.issuer));
  expect(response.headers.get('cache-control')).toBe('public, max-age=300');
  const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
  const key = { kid: expect.any(String), use: 'sig' };
  expect(keys).toEqual([
    expect.objectContaining({ ...key, kty: 'EC', alg: 'ES256' }),
    // Of ID tokens.
    expect.objectContaining({ ...key, kty: 'RSA', alg: 'RS256' }),
  ]);
  for (const token of [await auth.login(MANAGER), await auth.machineToken()]) {
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: keys[0]!['kid'] });
    expect(decodeJwt(token)).toMatchObject({ iss: auth.issuer, aud: AUDIENCE, sub: expect.any(String) });
  }
});

describe('during an outage of the auth service', () => {
  let known: string;
  let unknown: string;

  beforeAll(async () => {
    known = await auth.login(MANAGER);
    const { claims, by } = await auth.forge(known);
    unknown = by.signed(claims, by.header({ kid: 'unknown' }));
    // Key sets are not asked for before they are needed.
    for (const shop of SHOPS) await statusOf(shop, '/me', known);
    await auth.rotateKeyAndStop();
    // jose asks for the key set at most once a second.
    await sleep(1_000);
  });

  it.each<NamedShop>(SHOPS)('$name: $onOutage for a token that the auth service alone can check', async (shop) => {
    expect(await statusOf(shop, '/me', unknown)).toBe(shop.onOutage);
  });

  it.each(SHOPS.filter(({ by }) => by === 'introspection'))('$name: $onOutage for a good token', async (shop) => {
    expect(await statusOf(shop, '/me', known)).toBe(shop.onOutage);
  });

  it.each(SHOPS.filter(({ by }) => by === 'key set'))('$name: continues with its cached keys', async (shop) => {
    expect(await statusOf(shop, '/me', known)).toBe(200);
  });

  describe('and after it, with a new signing key', () => {
    let renewed: string;
    beforeAll(async () => {
      await auth.start();
      renewed = await auth.login(MANAGER);
      expect(decodeProtectedHeader(renewed).kid).not.toBe(decodeProtectedHeader(known).kid);
    });

    it.each<NamedShop>(SHOPS)('$name accepts tokens of both keys', async (shop) => {
      const accepted = () => statusOf(shop, '/me', renewed);
      if (shop.learnsKeysWithinMs) await expect.poll(accepted, { timeout: shop.learnsKeysWithinMs }).toBe(200);
      expect(await accepted()).toBe(200);
      expect(await statusOf(shop, '/me', known)).toBe(200);
    });
  });
});
