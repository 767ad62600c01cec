// When and how a user was authenticated: in access tokens, introspection, and for services behind a proxy.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { bearer, restClient, sessionOf, type RestClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { tokenClient as profileB, tokensOf } from '../../support/token-client.ts';
import { INTROSPECT, seedClient, tokenClient, tokenSender } from '../m2m/clients.ts';

const HOUR_MS = 3_600_000;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;

  beforeAll(async () => {
    deployment = await deploy(kind);
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  const seconds = () => Math.floor(deployment.clock.now() / 1000);
  const claimsOf = (accessToken: string) => {
    const { auth_time: time, amr } = decodeJwt(accessToken);
    return { time, amr };
  };
  const introspect = async (accessToken: string) => {
    const client = await seedClient(deployment.database);
    const { body } = await tokenSender(deployment.url, INTROSPECT).byForm(accessToken, client);
    return { time: body.auth_time as unknown, amr: body.amr as unknown };
  };
  const verify = async (accessToken: string, query = '') => {
    const { headers } = await rest.send('GET', `/api/v1/auth/verify${query}`, { headers: bearer(accessToken) });
    return { time: headers.get('x-auth-time'), methods: headers.get('x-auth-methods') };
  };
  const setSession = (id: string, assignment: string, value: number | string | null) =>
    deployment.database.execute(`UPDATE session_families SET ${assignment} WHERE id = ?`, [value, idToBytes(id)]);

  it('keeps time and methods of the login over refreshes', async () => {
    const { username } = await seedAccount(deployment.database);
    const login = await rest.open(username);
    const known = { time: seconds(), amr: ['pwd'] };
    expect(claimsOf(login.accessToken)).toEqual(known);
    deployment.clock.advance(HOUR_MS);
    const { accessToken } = sessionOf(await rest.refresh(login.cookie));
    expect(claimsOf(accessToken)).toEqual(known);
    expect(await introspect(accessToken)).toEqual(known);
    expect(await verify(accessToken)).toEqual({ time: `${known.time}`, methods: 'pwd' });
  });

  it('keeps them in Profile B too', async () => {
    const settings = { 'app.security.auth-profile': 'B' };
    const { databaseUrl, clock } = deployment;
    const other = await deploy({ ...kind, settings, databaseUrl, clock });
    try {
      const { username } = await seedAccount(deployment.database);
      const login = await profileB(other.url).open(username);
      const known = { time: seconds(), amr: ['pwd'] };
      expect(claimsOf(login.accessToken)).toEqual(known);
      deployment.clock.advance(HOUR_MS);
      const refreshed = tokensOf(await profileB(other.url).refresh(login.refreshToken));
      expect(claimsOf(refreshed.accessToken)).toEqual(known);
    } finally {
      await other.close();
    }
  });

  it('takes the time of the login for sessions that the previous release has opened', async () => {
    const session = await seedSession(deployment, await seedAccount(deployment.database));
    const known = { time: seconds(), amr: ['pwd'] };
    await setSession(session.id, 'auth_time = ?', null);
    deployment.clock.advance(HOUR_MS);
    const { accessToken } = sessionOf(await rest.refresh(session.cookie));
    expect(claimsOf(accessToken)).toEqual(known);
    expect(await introspect(accessToken)).toEqual(known);
  });

  it('introspects an older token with the later authentication of its session', async () => {
    const { id, accessToken } = await seedSession(deployment, await seedAccount(deployment.database));
    await setSession(id, "amr = 'pwd otp mfa', auth_time = ?", (seconds() + 60) * 1000);
    expect(claimsOf(accessToken)).toEqual({ time: seconds(), amr: ['pwd'] });
    expect(await introspect(accessToken)).toEqual({ time: seconds() + 60, amr: ['pwd', 'otp', 'mfa'] });
  });

  it.each(['?max-age=600', '?amr=mfa', '?max-age=600&amr=mfa'])(
    'verifies an older token with %s like introspection, and without it as the token is',
    async (query) => {
      const { id, accessToken } = await seedSession(deployment, await seedAccount(deployment.database));
      const tokenTime = seconds();
      await setSession(id, "amr = 'pwd otp mfa', auth_time = ?", (tokenTime + 60) * 1000);
      expect(await verify(accessToken, query)).toEqual({ time: `${tokenTime + 60}`, methods: 'pwd,otp,mfa' });
      expect(await verify(accessToken)).toEqual({ time: `${tokenTime}`, methods: 'pwd' });
    },
  );

  it('leaves both out for machine clients', async () => {
    const client = await seedClient(deployment.database);
    const { access_token: token } = (await tokenClient(deployment.url).byForm(client)).body;
    expect(claimsOf(token)).toEqual({});
    expect(await introspect(token)).toEqual({});
    expect(await verify(token)).toEqual({ time: '-', methods: '-' });
  });
});
