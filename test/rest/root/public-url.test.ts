// app.public-url: the issuer, the metadata and the service's own origin come from it, and nothing from a Host header.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { addGateway } from '../../support/gateways.ts';
import { problem } from '../../support/problems.ts';
import { exchangeRaw, rawRequest, sendRaw } from '../../support/raw-http.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';
import { seedSession } from '../../support/sessions.ts';

rememberPasswords();

const PATHS = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'] as const;
const PROXY = { 'app.http.trusted-proxies': '127.0.0.1' };

/** Requests that name another host than the public URL. */
const HOSTS: readonly (readonly string[])[] = [
  ['Host: evil.test'],
  ['Host: evil.test:99'],
  ['Host: evil.test', 'X-Forwarded-Host: evil.test', 'X-Forwarded-Proto: https'],
];

/** Where the public URL is, and where its endpoints are. */
const PLACES = [
  { url: 'https://auth.shop.test', origin: 'https://auth.shop.test', context: '', settings: {} },
  {
    url: 'https://shop.test/shop',
    origin: 'https://shop.test',
    context: '/shop',
    settings: { 'app.http.context-path': '/shop' },
  },
];

const CASES = PLACES.flatMap((place, index) => ({ ...place, ...DIAGONAL[index % DIAGONAL.length]! }));

describe.each(CASES)('$url, $engine over $transport', ({ url, origin, context, settings, ...kind }) => {
  let deployment: Deployment;
  let account: Account;
  const auth = `${context}/api/v1/auth`;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { ...settings, ...PROXY, 'app.public-url': url } });
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  it.each(HOSTS)('the metadata is the same for %s', async (...lines) => {
    for (const path of [...PATHS, ...PATHS.map((one) => context + one), ...PATHS.map((one) => one + context)]) {
      const response = await sendRaw(deployment.url, rawRequest(`GET ${path} HTTP/1.1`, lines));
      expect([path, response.status, response.headers.get('cache-control')]).toEqual([path, 200, 'max-age=300']);
      expect(response.body).toMatchObject({
        issuer: url,
        jwks_uri: `${origin}/.well-known/jwks.json`,
        token_endpoint: `${origin}${auth}/oauth2/token`,
        introspection_endpoint: `${origin}${auth}/introspect`,
        revocation_endpoint: `${origin}${auth}/revoke`,
      });
      expect(response.text).not.toContain('evil');
    }
  });

  it('the metadata needs no Host', async () => {
    const [response] = await exchangeRaw(deployment.url, `GET ${PATHS[1]} HTTP/1.0\r\n\r\n`);
    expect(response?.status).toBe(200);
  });

  it('users and machine clients get tokens of this issuer', async () => {
    const body = { username: account.username, password: PASSWORD };
    const login = await restClient(deployment.url).postJson(`${auth}/login`, body);
    expect(decodeJwt(login.body.accessToken)).toMatchObject({ iss: url, aud: 'my-shop', client_id: 'my-shop' });
    const client = await seedClient(deployment.database);
    const grant = await tokenClient(deployment.url, `${auth}/token`).byForm(client);
    expect(decodeJwt(grant.body.access_token)).toMatchObject({ iss: url, aud: 'my-shop', client_id: client.id });
  });

  const refresh = async (page: string, lines: readonly string[], target = deployment.url) => {
    const { cookie } = await seedSession(deployment, account);
    const request = rawRequest(`POST ${auth}/refresh HTTP/1.1`, [...lines, `Cookie: ${cookie}`, `Origin: ${page}`]);
    return sendRaw(target, request);
  };

  it('its origin is the own one, whatever the Host', async () => {
    for (const lines of [[], ...HOSTS]) {
      expect((await refresh(origin, lines)).status).toBe(200);
    }
  });

  it.each([
    ['http://evil.test', ['Host: evil.test']],
    ['https://evil.test', ['Host: evil.test', 'X-Forwarded-Host: evil.test', 'X-Forwarded-Proto: https']],
    [origin.replace('https', 'http'), [`Host: ${new URL(origin).host}`]],
    [`${origin}:443`, [`Host: ${new URL(origin).host}`]],
    [`${origin}${context}/`, []],
    ['null', []],
  ])('returns 401 for a refresh by a page of %s with %j', async (page, lines) => {
    const response = await refresh(page, lines);
    expect(response).toEqual(problem(401, 'refresh-session-invalid', `${auth}/refresh`));
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it('a listed origin is allowed beside it', async () => {
    const listing = await addGateway(deployment, {
      ...settings,
      'app.public-url': url,
      'app.http.cors.allowed-origins': 'https://www.shop.test',
    });
    try {
      expect((await refresh('https://www.shop.test', [], listing.url)).status).toBe(200);
      expect((await refresh(origin, [], listing.url)).status).toBe(200);
      expect((await refresh(listing.url, [], listing.url)).status).toBe(401);
    } finally {
      await listing.close();
    }
  });

  it('the own origin keeps the plain cookie name, even if it is listed', async () => {
    const listing = await addGateway(deployment, {
      ...settings,
      'app.public-url': url,
      'app.http.cors.allowed-origins': origin,
      'app.security.refresh-session.cookie-per-origin': 'true',
    });
    try {
      const lines = ['Host: evil.test'];
      expect((await refresh(origin, lines, listing.url)).status).toBe(200);
    } finally {
      await listing.close();
    }
  });
});

describe('with another issuer', () => {
  it.each([
    ['my-shop', 'https://auth.shop.test'],
    ['urn:shop:auth', 'https://auth.shop.test'],
    ['https://inner.shop.test', 'https://inner.shop.test'],
  ])('%s: the endpoints are below %s', async (issuer, base) => {
    const settings = { 'app.public-url': 'https://auth.shop.test', 'app.security.jwt.issuer': issuer };
    const deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
    try {
      const { body, headers } = await restClient(deployment.url).send('GET', PATHS[0]);
      expect(body).toMatchObject({ issuer, token_endpoint: `${base}/api/v1/auth/token` });
      expect(headers.get('cache-control')).toBe('max-age=300');
    } finally {
      await deployment.close();
    }
  });
});

describe('gateways and cores with different settings', () => {
  const URL_SETTING = { 'app.public-url': 'https://auth.shop.test' };

  it('without the setting, a gateway names the endpoints below the issuer of the core, for no cache', async () => {
    const deployment = await deploy({ engine: 'sqlite', transport: 'grpc', settings: URL_SETTING });
    const gateway = await addGateway(deployment, {});
    try {
      const { body, headers } = await restClient(gateway.url).send('GET', PATHS[0]);
      expect(body).toMatchObject({
        issuer: URL_SETTING['app.public-url'],
        jwks_uri: 'https://auth.shop.test/.well-known/jwks.json',
      });
      expect(headers.get('cache-control')).toBe('no-store');
    } finally {
      await gateway.close();
      await deployment.close();
    }
  });

  it('without the setting, a core issues tokens of app.name, and its gateway names the endpoints', async () => {
    const deployment = await deploy({ engine: 'sqlite', transport: 'grpc' });
    const gateway = await addGateway(deployment, URL_SETTING);
    try {
      const { body } = await restClient(gateway.url).send('GET', PATHS[0]);
      expect(body).toMatchObject({ issuer: 'my-shop', jwks_uri: 'https://auth.shop.test/.well-known/jwks.json' });
    } finally {
      await gateway.close();
      await deployment.close();
    }
  });
});
