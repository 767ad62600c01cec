// Access tokens by RFC 9068, checked with another library.
import { createLocalJWKSet, jwtVerify } from 'jose';
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
