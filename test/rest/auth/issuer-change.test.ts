// A change of the issuer: tokens of app.name stay valid until they expire, after app.public-url is set and before it is the issuer.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuthorizationService } from '../../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import { IdentityServiceService } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { SessionServiceService } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { tokenForge } from '../../support/forged-tokens.ts';
import { addGateway, type AddedGateway } from '../../support/gateways.ts';
import { bearer, restClient, sessionOf } from '../../support/rest-client.ts';
import { tokenClient as profileB, tokensOf } from '../../support/token-client.ts';
import { INTROSPECT, REVOKE, seedClient, tokenClient, tokenSender, type MachineClient } from '../m2m/clients.ts';

rememberPasswords();

const URL_OF_SERVICE = 'https://auth.shop.test';
const NEW = { 'app.public-url': URL_OF_SERVICE };
const PROFILE_B = { 'app.security.auth-profile': 'B' };
const OLD_ISSUER = 'my-shop';

describe.each(DIAGONAL)('tokens of app.name after app.public-url is set ($engine, $transport)', (kind) => {
  let before: Deployment;
  let after: Deployment;
  let tokensBefore: AddedGateway;
  let tokensAfter: AddedGateway;
  let account: Account;
  let client: MachineClient;

  beforeAll(async () => {
    before = await deploy(kind);
    after = await deploy({ ...kind, databaseUrl: before.databaseUrl, clock: before.clock, settings: NEW });
    tokensBefore = await addGateway(before, PROFILE_B);
    tokensAfter = await addGateway(after, { ...PROFILE_B, ...NEW });
    account = await seedAccount(before.database, { roles: ['ADMIN'] });
    client = await seedClient(before.database);
  });
  afterAll(async () => {
    await tokensAfter?.close();
    await tokensBefore?.close();
    await after?.close();
    await before?.close();
  });

  const openBefore = async () => {
    const session = await restClient(before.url).open(account.username);
    expect(decodeJwt(session.accessToken).iss).toBe(OLD_ISSUER);
    return session;
  };

  it('REST accepts the access token, in headers and for forward authentication', async () => {
    const { accessToken } = await openBefore();
    const rest = restClient(after.url);
    expect((await rest.me(accessToken)).body).toMatchObject({ id: account.id });
    const headers = bearer(accessToken);
    expect((await rest.send('GET', '/api/v1/users', { headers })).status).toBe(200);
    const verified = await rest.send('GET', '/api/v1/auth/verify', { headers });
    expect([verified.status, verified.headers.get('x-auth-subject')]).toEqual([200, account.id]);
  });

  it('gRPC accepts the access token', async () => {
    const { accessToken } = await openBefore();
    const authorization = [`Bearer ${accessToken}`];
    const me = await after.client(IdentityServiceService).getMe({}, { authorization });
    expect(me.account?.id).toBe(account.id);
    const { sessions } = await after.client(SessionServiceService).listMySessions({}, { authorization });
    expect(sessions.length).toBeGreaterThan(0);
  });

  it('Envoy gets OK for the access token', async () => {
    const { accessToken } = await openBefore();
    const { status, httpResponse } = await after.client(AuthorizationService).check({
      attributes: { request: { http: { headers: bearer(accessToken), path: '/' } }, contextExtensions: {} },
    });
    expect([status?.code, httpResponse?.$case]).toEqual([0, 'okResponse']);
  });

  it('introspection returns the issuer of the token, old or new', async () => {
    const introspect = async (token: string) =>
      (await tokenSender(after.url, INTROSPECT).byForm(token, client)).body as Record<string, unknown>;
    const { accessToken } = await openBefore();
    expect(await introspect(accessToken)).toMatchObject({ active: true, sub: account.id, iss: OLD_ISSUER });
    const fresh = await restClient(after.url).open(account.username);
    expect(await introspect(fresh.accessToken)).toMatchObject({ active: true, iss: URL_OF_SERVICE });
    const machine = (await tokenClient(before.url).byForm(client)).body.access_token;
    expect(await introspect(machine)).toMatchObject({ active: true, client_id: client.id, iss: OLD_ISSUER });
  });

  it('Profile A refreshes, and the next token has the new issuer', async () => {
    const { cookie } = await openBefore();
    const renewed = sessionOf(await restClient(after.url).refresh(cookie));
    expect(decodeJwt(renewed.accessToken).iss).toBe(URL_OF_SERVICE);
    expect((await restClient(after.url).me(renewed.accessToken)).status).toBe(200);
  });

  it('Profile B refreshes once, and the next tokens have the new issuer', async () => {
    const opened = await profileB(tokensBefore.url).open(account.username);
    expect(decodeJwt(opened.refreshToken)).toMatchObject({ iss: OLD_ISSUER, aud: OLD_ISSUER });
    const rest = profileB(tokensAfter.url);
    const renewed = tokensOf(await rest.refresh(opened.refreshToken));
    expect(decodeJwt(renewed.refreshToken)).toMatchObject({ iss: URL_OF_SERVICE, aud: URL_OF_SERVICE });
    const again = tokensOf(await rest.refresh(renewed.refreshToken));
    expect(decodeJwt(again.accessToken).iss).toBe(URL_OF_SERVICE);
    // A replay of the old refresh token ends the session, as before the change.
    expect((await rest.refresh(opened.refreshToken)).status).toBe(401);
    expect((await rest.refresh(again.refreshToken)).status).toBe(401);
  });

  it('a revocation and a logout end old tokens', async () => {
    const first = await openBefore();
    expect((await tokenSender(after.url, REVOKE).byForm(first.accessToken, client)).status).toBe(200);
    expect((await restClient(after.url).me(first.accessToken)).status).toBe(401);
    const second = await openBefore();
    expect((await restClient(after.url).logout({ accessToken: second.accessToken })).status).toBe(200);
    expect((await restClient(before.url).me(second.accessToken)).status).toBe(401);
  });

  it('any other issuer is refused, although the key is right', async () => {
    const { accessToken } = await openBefore();
    const forge = await tokenForge(after, account, String(decodeJwt(accessToken)['sid']));
    for (const [iss, status] of [
      [OLD_ISSUER, 200],
      [URL_OF_SERVICE, 200],
      [`${URL_OF_SERVICE}/`, 401],
      ['https://auth.shop.test.evil.test', 401],
      ['other', 401],
      [[OLD_ISSUER], 401],
      [undefined, 401],
    ] as const) {
      const token = forge.signed(forge.claims({ iss }));
      expect([iss, (await restClient(after.url).me(token)).status]).toEqual([iss, status]);
    }
  });
});

describe.each(DIAGONAL)('the lifetime of old tokens ($engine, $transport)', (kind) => {
  it('ends as before the change', async () => {
    const before = await deploy({ ...kind, settings: PROFILE_B });
    const settings = { ...PROFILE_B, ...NEW };
    const after = await deploy({ ...kind, databaseUrl: before.databaseUrl, clock: before.clock, settings });
    try {
      const { username } = await seedAccount(before.database);
      const { accessToken, refreshToken } = await profileB(before.url).open(username);
      const rest = profileB(after.url);
      before.clock.advance(899_000);
      expect((await rest.me(accessToken)).status).toBe(200);
      before.clock.advance(1_000);
      expect((await rest.me(accessToken)).status).toBe(401);
      before.clock.advance(7 * 86_400_000);
      expect((await rest.refresh(refreshToken)).status).toBe(401);
    } finally {
      await after.close();
      await before.close();
    }
  });
});

describe('two steps of a rolling change', () => {
  // Without the first step, processes with the old settings refuse tokens with the new issuer.
  const FIRST_STEP = { ...NEW, 'app.security.jwt.issuer': OLD_ISSUER };

  it.each([
    ['old settings and the first step', {}, FIRST_STEP],
    ['the first step and the second', FIRST_STEP, NEW],
  ])('%s: each process accepts the tokens of the other', async (_, left, right) => {
    const one = await deploy({ engine: 'sqlite', transport: 'local', settings: { ...PROFILE_B, ...left } });
    const { databaseUrl, clock } = one;
    const settings = { ...PROFILE_B, ...right };
    const other = await deploy({ engine: 'sqlite', transport: 'local', databaseUrl, clock, settings });
    try {
      const { username } = await seedAccount(one.database);
      for (const [from, to] of [
        [one, other],
        [other, one],
      ] as const) {
        const { accessToken, refreshToken } = await profileB(from.url).open(username);
        const rest = profileB(to.url);
        expect((await rest.me(accessToken)).status).toBe(200);
        expect((await rest.refresh(refreshToken)).status).toBe(200);
      }
    } finally {
      await other.close();
      await one.close();
    }
  });
});
