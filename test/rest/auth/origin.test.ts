// The Origin policy: the pages that may refresh by the cookie, with and without a proxy.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { addGateway } from '../../support/gateways.ts';
import { problem } from '../../support/problems.ts';
import { rawRequest, sendRaw, type RawResponse } from '../../support/raw-http.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession, type SeededSession } from '../../support/sessions.ts';

const PATH = '/api/v1/auth/refresh';

const refreshRaw = (url: string, lines: readonly string[]): Promise<RawResponse> =>
  sendRaw(url, rawRequest(`POST ${PATH} HTTP/1.1`, lines));

/** Refused, and the cookie stays as it is. */
function expectRefused(response: RawResponse): void {
  expect(response).toEqual(problem(401, 'refresh-session-invalid', PATH));
  expect(response.headers.getSetCookie()).toEqual([]);
}

interface OriginCase {
  readonly what: string;
  readonly origin: string;
  readonly host?: string;
  readonly forwarded?: readonly string[];
}

const LISTED = 'https://shop.test';

const ALLOWED: readonly OriginCase[] = [
  { what: 'the own', origin: 'http://service.test' },
  { what: 'the own behind TLS', origin: 'https://service.test' },
  { what: 'the own with a port', origin: 'http://service.test:8080', host: 'service.test:8080' },
  { what: 'the own by a Host in another case', origin: 'http://service.test', host: 'Service.TEST' },
  { what: 'the own by a Host with the default port', origin: 'http://service.test', host: 'service.test:80' },
  { what: 'the own by a Host with the default port of TLS', origin: 'https://service.test', host: 'service.test:443' },
  { what: 'the own address', origin: 'http://127.0.0.1:8080', host: '127.0.0.1:8080' },
  { what: 'the own IPv6 address', origin: 'http://[::1]:8080', host: '[::1]:8080' },
  { what: 'a listed one', origin: LISTED },
  { what: 'a listed one with a port', origin: 'http://shop.test:3000' },
];

const FOREIGN_ORIGINS: readonly OriginCase[] = [
  { what: 'another', origin: 'https://evil.test' },
  { what: 'null', origin: 'null' },
  { what: 'an empty one', origin: '' },
  { what: 'the own host without its port', origin: 'http://service.test', host: 'service.test:8080' },
  { what: 'the own host with another port', origin: 'http://service.test:8081', host: 'service.test:8080' },
  {
    what: "the own host with the other scheme's default port",
    origin: 'https://service.test',
    host: 'service.test:80',
  },
  { what: 'the own host in another case', origin: 'http://SERVICE.test' },
  { what: 'the own host with its default port written out', origin: 'http://service.test:80' },
  { what: 'the own host with a path', origin: 'http://service.test/' },
  { what: 'the own host with a user', origin: 'http://user@service.test' },
  { what: 'the own host by another scheme', origin: 'ftp://service.test' },
  { what: 'the own host without a scheme', origin: 'service.test' },
  { what: 'a host that begins like the own', origin: 'http://service.test.evil.test' },
  { what: 'a host that ends like the own', origin: 'http://evilservice.test' },
  { what: 'a host below the own', origin: 'http://a.service.test' },
  { what: 'a listed one by another scheme', origin: 'http://shop.test' },
  { what: 'a listed one in another case', origin: 'https://Shop.test' },
  { what: 'a listed one with its default port written out', origin: 'https://shop.test:443' },
  { what: 'a listed one with another port', origin: 'https://shop.test:444' },
  { what: 'a listed one with a slash', origin: 'https://shop.test/' },
  { what: 'a host that begins like a listed one', origin: 'https://shop.test.evil.test' },
  { what: 'a host that ends like a listed one', origin: 'https://notshop.test' },
  { what: 'two in one header', origin: 'https://shop.test https://evil.test' },
  { what: 'two in a list', origin: 'https://shop.test, https://shop.test' },
  { what: 'a wildcard', origin: '*' },
  { what: 'bytes', origin: '\xff' },
  { what: 'loopback, which is listed in DEV only', origin: 'http://localhost:5173' },
  { what: 'one that is own by what anybody may forward', origin: 'https://evil.test', forwarded: ['Host: evil.test'] },
];

/** What a proxy tells, in headers of the names X-Forwarded-*. */
const PROXIED: readonly (OriginCase & { readonly status: number })[] = [
  { what: 'the outer host', origin: 'https://outer.test', forwarded: ['Host: outer.test'], status: 200 },
  {
    what: 'the outer host with a default port',
    origin: 'https://outer.test',
    forwarded: ['Host: outer.test:443'],
    status: 200,
  },
  {
    what: 'the outer host and scheme',
    origin: 'https://outer.test',
    forwarded: ['Host: outer.test', 'Proto: https'],
    status: 200,
  },
  {
    what: 'the outer host by plain HTTP',
    origin: 'http://outer.test',
    forwarded: ['Host: outer.test', 'Proto: http'],
    status: 200,
  },
  {
    what: 'the host that was kept, and the scheme',
    origin: 'https://service.test',
    forwarded: ['Proto: https'],
    status: 200,
  },
  { what: 'a listed one', origin: LISTED, forwarded: ['Host: outer.test', 'Proto: https'], status: 200 },
  {
    what: 'the outer host by another scheme than TLS',
    origin: 'http://outer.test',
    forwarded: ['Host: outer.test', 'Proto: https'],
    status: 401,
  },
  { what: 'the inner host', origin: 'https://service.test', forwarded: ['Host: outer.test'], status: 401 },
  { what: 'another', origin: 'https://evil.test', forwarded: ['Host: outer.test', 'Proto: https'], status: 401 },
  { what: 'null', origin: 'null', forwarded: ['Host: null'], status: 401 },
];

describe('the Origin of a refresh', () => {
  let deployment: Deployment;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy({
      engine: 'sqlite',
      transport: 'grpc',
      settings: { 'app.http.cors.allowed-origins': `${LISTED},http://shop.test:3000` },
    });
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  const linesOf = ({ origin, host = 'service.test', forwarded = [] }: OriginCase, session: SeededSession) => [
    `Host: ${host}`,
    `Cookie: ${session.cookie}`,
    `Origin: ${origin}`,
    ...forwarded.map((line) => `X-Forwarded-${line}`),
  ];

  it.each(ALLOWED)('returns 200: $what: $origin', async (example) => {
    const session = await seedSession(deployment, account);
    expect((await refreshRaw(deployment.url, linesOf(example, session))).status).toBe(200);
  });

  it.each(FOREIGN_ORIGINS)('returns 401, and the session continues: $what: $origin', async (example) => {
    const session = await seedSession(deployment, account);
    const response = await refreshRaw(deployment.url, linesOf(example, session));
    expectRefused(response);
    expect(response.body.detail).toContain('(policy)');
    expect((await restClient(deployment.url).refresh(session.cookie)).status).toBe(200);
  });

  it('returns 401 for two Origin headers', async () => {
    const session = await seedSession(deployment, account);
    for (const pair of [
      [LISTED, 'https://evil.test'],
      ['https://evil.test', LISTED],
    ]) {
      const lines = [`Cookie: ${session.cookie}`, ...pair.map((origin) => `Origin: ${origin}`)];
      expectRefused(await refreshRaw(deployment.url, lines));
    }
  });

  describe('behind a reverse proxy', () => {
    it.each(PROXIED)('returns $status: $what, from a trusted proxy', async ({ status, ...example }) => {
      const session = await seedSession(deployment, account);
      const trusting = await addGateway(deployment, {
        'app.http.trusted-proxies': '127.0.0.1',
        'app.http.cors.allowed-origins': LISTED,
      });
      try {
        expect((await refreshRaw(trusting.url, linesOf(example, session))).status).toBe(status);
      } finally {
        await trusting.close();
      }
    });

    it.each(PROXIED.filter(({ origin }) => origin.endsWith('outer.test')))(
      'returns 401: $what, from an untrusted proxy',
      async (example) => {
        const session = await seedSession(deployment, account);
        expectRefused(await refreshRaw(deployment.url, linesOf(example, session)));
      },
    );
  });

  it('is not checked by the other endpoints', async () => {
    const { accessToken, cookie } = await seedSession(deployment, account);
    const { send } = restClient(deployment.url);
    const headers = { authorization: `Bearer ${accessToken}`, cookie, origin: 'https://evil.test' };
    expect((await send('GET', '/api/v1/auth/me', { headers })).status).toBe(200);
    expect((await send('POST', '/api/v1/auth/logout', { headers })).status).toBe(200);
  });
});
