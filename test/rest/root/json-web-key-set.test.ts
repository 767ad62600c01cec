// The published keys are the signing keys, without private members.
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_SET_MAX_AGE_MS, ACTIVATION_DELAY_MS } from '../../../src/auth/keys/rotation-schedule.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { leaksOf } from '../../support/leaks.ts';
import { restClient, sessionOf } from '../../support/rest-client.ts';

const PATH = '/.well-known/jwks.json';
/** RFC 7518 section 6.2.2, 6.3.2, 6.4: what only private and symmetric keys have. */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

async function publishedKeys(deployment: Deployment) {
  const response = await restClient(deployment.url).send('GET', PATH);
  expect(response.status).toBe(200);
  return response;
}

async function verifiesOwnTokens(deployment: Deployment): Promise<void> {
  const rest = restClient(deployment.url);
  const { username, id } = await seedAccount(deployment.database);
  const login = await rest.open(username);
  const refreshed = sessionOf(await rest.refresh(login.cookie));
  const keys = createLocalJWKSet((await publishedKeys(deployment)).body);
  for (const { accessToken } of [login, refreshed]) {
    const currentDate = new Date(deployment.clock.now());
    const { payload } = await jwtVerify(accessToken, keys, {
      issuer: 'my-shop',
      audience: 'my-shop',
      typ: 'at+jwt',
      currentDate,
    });
    expect(payload.sub).toBe(id);
  }
}

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy(kind);
  });
  afterAll(() => deployment?.close());

  it('verifies the access tokens of login and refresh', () => verifiesOwnTokens(deployment));

  it('has no private members, and contains kid, alg and use of each key', async () => {
    const { body, text, headers } = await publishedKeys(deployment);
    expect(Object.keys(body)).toEqual(['keys']);
    expect(body.keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        alg: 'ES256',
        use: 'sig',
      },
    ]);
    for (const key of body.keys) expect(Object.keys(key).filter((member) => PRIVATE.includes(member))).toEqual([]);
    expect(leaksOf(text)).toEqual([]);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('cache-control')).toBe(`public, max-age=${KEY_SET_MAX_AGE_MS / 1000}`);
    expect(headers.getSetCookie()).toEqual([]);
  });

  it('is public, and ignores credentials', async () => {
    const { text } = await publishedKeys(deployment);
    for (const authorization of ['Bearer garbage', 'Basic eDp4', 'x']) {
      const response = await restClient(deployment.url).send('GET', `${PATH}?kid=x`, { headers: { authorization } });
      expect([response.status, response.text]).toEqual([200, text]);
    }
  });

  it('stays the same for another process on the same database', async () => {
    const first = await publishedKeys(deployment);
    const second = await deploy({ ...kind, databaseUrl: deployment.databaseUrl });
    try {
      expect((await publishedKeys(second)).text).toBe(first.text);
    } finally {
      await second.close();
    }
  });
});

describe.each([
  ['EdDSA', { kty: 'OKP', crv: 'Ed25519' }],
  ['RS256', { kty: 'RSA', e: 'AQAB' }],
])('%s', (algorithm, described) => {
  it('verifies tokens, and has no private members', async () => {
    const deployment = await deploy({
      engine: 'sqlite',
      transport: 'grpc',
      settings: { 'app.security.jwt.algorithm': algorithm },
    });
    try {
      await verifiesOwnTokens(deployment);
      const { body } = await publishedKeys(deployment);
      expect(body.keys).toEqual([
        expect.objectContaining({ ...described, alg: algorithm, use: 'sig', kid: expect.any(String) }),
      ]);
      expect(Object.keys(body.keys[0]).filter((member) => PRIVATE.includes(member))).toEqual([]);
    } finally {
      await deployment.close();
    }
  });

  it('replaces ES256 when caches contain the new key, and tokens signed with ES256 stay valid', async () => {
    const before = await deploy({ engine: 'sqlite', transport: 'local' });
    try {
      const { username, id } = await seedAccount(before.database);
      const { accessToken } = await restClient(before.url).open(username);
      const settings = { 'app.security.jwt.algorithm': algorithm };
      const after = await deploy({
        engine: 'sqlite',
        transport: 'local',
        settings,
        databaseUrl: before.databaseUrl,
        clock: before.clock,
      });
      try {
        const rest = restClient(after.url);
        expect((await publishedKeys(after)).body.keys).toMatchObject([{ alg: 'ES256' }, { alg: algorithm }]);
        expect(decodeProtectedHeader((await rest.open(username)).accessToken).alg).toBe('ES256');
        before.clock.advance(ACTIVATION_DELAY_MS);
        const later = await rest.open(username);
        expect(decodeProtectedHeader(later.accessToken).alg).toBe(algorithm);
        for (const url of [before.url, after.url]) {
          expect((await restClient(url).me(accessToken)).body.id).toBe(id);
          expect((await restClient(url).me(later.accessToken)).body.id).toBe(id);
        }
      } finally {
        await after.close();
      }
    } finally {
      await before.close();
    }
  });
});
