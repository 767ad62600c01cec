// Access tokens by RFC 9068, checked with another library.
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { seedAccount } from '../../support/accounts.ts';
import { deploy } from '../../support/deployment.ts';
import { restClient, sessionOf } from '../../support/rest-client.ts';
import { tokenClient as profileB, tokensOf } from '../../support/token-client.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';

/** RFC 9068 section 2.2. */
const REQUIRED_CLAIMS = ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'];

const SETTINGS = {
  'app.security.jwt.issuer': 'https://auth.shop.test',
  'app.security.jwt.audience': 'https://api.shop.test',
  'app.security.jwt.client-id': 'shop-web',
};

it('tokens of users have the configured client id, tokens of machine clients their own', async () => {
  const a = await deploy({ engine: 'sqlite', transport: 'local', settings: SETTINGS });
  const settings = { ...SETTINGS, 'app.security.auth-profile': 'B' };
  const b = await deploy({ engine: 'sqlite', transport: 'grpc', settings, databaseUrl: a.databaseUrl, clock: a.clock });
  try {
    const { username } = await seedAccount(a.database);
    const client = await seedClient(a.database);
    const keys = createLocalJWKSet((await restClient(a.url).send('GET', '/.well-known/jwks.json')).body);
    const clientIdOf = async (token: string) => {
      const { payload } = await jwtVerify(token, keys, {
        typ: 'at+jwt',
        issuer: 'https://auth.shop.test',
        audience: 'https://api.shop.test',
        requiredClaims: REQUIRED_CLAIMS,
        currentDate: new Date(a.clock.now()),
      });
      return payload['client_id'];
    };

    const login = await restClient(a.url).open(username);
    expect(await clientIdOf(login.accessToken)).toBe('shop-web');
    const refreshed = sessionOf(await restClient(a.url).refresh(login.cookie));
    expect(await clientIdOf(refreshed.accessToken)).toBe('shop-web');
    const tokens = await profileB(b.url).open(username);
    expect(await clientIdOf(tokens.accessToken)).toBe('shop-web');
    expect(await clientIdOf(tokensOf(await profileB(b.url).refresh(tokens.refreshToken)).accessToken)).toBe('shop-web');
    const machine = await tokenClient(a.url).byForm(client);
    expect(await clientIdOf(machine.body.access_token)).toBe(client.id);
  } finally {
    await b.close();
    await a.close();
  }
});

it.each(['A', 'B'])('tokens of users have emailVerified if it is configured, under Profile %s', async (profile) => {
  const profiles = { 'app.security.auth-profile': profile };
  const settings = { ...profiles, 'app.security.jwt.email-verified': 'true' };
  const on = await deploy({ engine: 'sqlite', transport: 'local', settings });
  const { databaseUrl, clock } = on;
  const off = await deploy({ engine: 'sqlite', transport: 'local', settings: profiles, databaseUrl, clock });
  try {
    const claimOf = async ({ url }: typeof on, username: string) => {
      if (profile === 'B') {
        const client = profileB(url);
        const opened = await client.open(username);
        const { accessToken } = tokensOf(await client.refresh(opened.refreshToken));
        return [opened.accessToken, accessToken].map((token) => decodeJwt(token)['emailVerified']);
      }
      const opened = await restClient(url).open(username);
      const { accessToken } = sessionOf(await restClient(url).refresh(opened.cookie));
      return [opened.accessToken, accessToken].map((token) => decodeJwt(token)['emailVerified']);
    };
    const plain = await seedAccount(on.database, { email: 'ann@mail.test' });
    const verified = await seedAccount(on.database, { email: 'bob@mail.test', emailVerifiedAt: 1 });
    expect(await claimOf(on, plain.username)).toEqual([false, false]);
    expect(await claimOf(on, verified.username)).toEqual([true, true]);
    expect(await claimOf(off, verified.username)).toEqual([undefined, undefined]);
    const machine = await tokenClient(on.url).byForm(await seedClient(on.database));
    expect(decodeJwt(machine.body.access_token)).not.toHaveProperty('emailVerified');
  } finally {
    await off.close();
    await on.close();
  }
});
