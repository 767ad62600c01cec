// Access tokens of applications: their claims, and what refuses them. A token with `gid` is an application's, whatever its audience.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { AuthorizationService as EnvoyAuthorization } from '../../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import { Reason } from '../../../proto/gen/authservice/error/v1/reason.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { API } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { formOf } from '../../support/oauth/browser.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import { expectTokenError } from '../../support/oauth/party.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import {
  callerOf,
  ISSUER,
  openedService,
  signedIn,
  type ServiceParty,
  type ServiceUser,
} from '../../support/oauth/service.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { clientsOf } from '../../support/world.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';

rememberPasswords();

const RESOURCE = 'https://api.example.com';
const OURS = 'my-shop';

/** Each disclosure mode once, and each engine and transport once: no test depends on both. */
const CASES = (['maximal', 'minimal'] as const).map((mode, index) => ({ mode, ...DIAGONAL[index % DIAGONAL.length]! }));

describe.each(CASES)('application tokens, $mode disclosure, $engine over $transport', ({ mode, ...kind }) => {
  const service = openedService({ ...kind, settings: { 'app.api.error-disclosure.mode': mode } });
  let party: ServiceParty;
  let user: ServiceUser;
  let browser: Browser;
  beforeAll(async () => {
    party = await service.party({ firstParty: true, resources: [RESOURCE, OURS] });
    user = await service.user({ roles: ['MANAGER'] });
    browser = await signedIn(service, user);
  });

  const send = (method: string, path: string, token: string, body?: string) =>
    service.send(method, `${ISSUER}${API}${path}`, {
      headers: { ...bearer(token), ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });

  /** Returns the status with which Envoy refuses a request with a token; 200 if it lets it pass. */
  const envoyStatus = async (token: string) => {
    const request = { attributes: { request: { http: { headers: bearer(token), path: '/' } }, contextExtensions: {} } };
    const { httpResponse } = await service.deployment.client(EnvoyAuthorization).check(request);
    return httpResponse?.$case === 'deniedResponse' ? httpResponse.value.status?.code : 200;
  };

  it('have the claims of RFC 9068, of the grant and of the session', async () => {
    const { accessToken } = await party.logIn(browser, user, { scope: 'openid tenant' });
    const now = service.now();
    const session = decodeJwt(browser.accessToken!);
    expect(decodeProtectedHeader(accessToken)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    expect(decodeJwt(accessToken)).toEqual({
      iss: ISSUER,
      aud: ISSUER,
      sub: user.sub,
      client_id: party.client.id,
      scope: 'openid tenant',
      gid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sid: session['sid'],
      iat: now,
      exp: now + 900,
      jti: expect.any(String),
      auth_time: session['auth_time'],
      amr: ['pwd'],
      tenantId: 'acme',
    });
  });

  it('have roles with the scope roles, and no sid with offline_access', async () => {
    const { accessToken } = await party.logIn(browser, user, { scope: 'openid roles offline_access' });
    const claims = decodeJwt(accessToken);
    expect(claims).toMatchObject({ roles: ['ROLE_MANAGER', 'ROLE_SALES', 'ROLE_ACCOUNTANT'] });
    expect(claims).not.toHaveProperty('sid');
  });

  it('live as long as the application says, or the policy if that is shorter', async () => {
    const brief = await service.party({ firstParty: true, accessTokenTtl: 60 });
    const { accessToken, response } = await brief.logIn(browser, user);
    expect(response.body.expires_in).toBe(60);
    expect((await brief.userinfo(accessToken)).status).toBe(200);
    service.advance(60_000);
    expect((await brief.userinfo(accessToken)).status).toBe(401);
    const hasty = await service.user({ tenantId: 'hasty' });
    await (await service.root()).patch('/tenants/hasty/policy', { accessTokenTtl: 120 });
    const long = await service.party({ tenantId: 'hasty', firstParty: true, accessTokenTtl: 3_600 });
    expect((await long.logIn(await signedIn(service, hasty), hasty)).response.body.expires_in).toBe(120);
  });

  describe('resource', () => {
    it('at authorize is the audience of the tokens, also after a refresh', async () => {
      const tokens = await party.logIn(browser, user, { resource: RESOURCE });
      expect(decodeJwt(tokens.accessToken).aud).toBe(RESOURCE);
      const refreshed = await party.tokensOf(await party.refresh(tokens.refreshToken));
      expect(decodeJwt(refreshed.accessToken).aud).toBe(RESOURCE);
    });

    it('at the token endpoint is the audience of that token', async () => {
      const authorized = await party.signIn(browser, user);
      const tokens = await party.tokensOf(await party.redeem(authorized, { resource: RESOURCE }));
      expect(decodeJwt(tokens.accessToken).aud).toBe(RESOURCE);
    });

    it('that is not allowed is invalid_target', async () => {
      for (const resource of ['https://other.example.com', ISSUER]) {
        const authorized = await party.signIn(browser, user);
        expectTokenError(await party.redeem(authorized, { resource }), 'invalid_target');
        await party.tokensOf(await party.redeem(authorized));
      }
      const { refreshToken } = await party.logIn(browser, user);
      const two = await party.refresh(refreshToken, { resource: [RESOURCE, OURS] });
      expect([two.status, two.body.error]).toEqual([400, expect.stringMatching(/^invalid_(?:request|target)$/)]);
      expectTokenError(await party.refresh(refreshToken, { resource: 'https://other.example.com' }), 'invalid_target');
    });

    it('of another audience than the issuer is not for userinfo: 401 invalid_token', async () => {
      const { accessToken } = await party.logIn(browser, user, { resource: RESOURCE });
      const response = await party.userinfo(accessToken);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining('error="invalid_token"'),
      ]);
    });
  });

  describe('without our audience are refused: 401, and nothing changes', () => {
    const PLACES: [method: string, path: string, body?: string][] = [
      ['GET', '/auth/me'],
      ['GET', '/auth/verify'],
      ['POST', '/auth/logout'],
      ['GET', '/account'],
      ['GET', '/account/sessions'],
      ['GET', '/account/grants'],
      ['DELETE', '/account/sessions'],
      ['GET', '/account/factors'],
      ['POST', '/account/confirm', '{"password":"x"}'],
      ['GET', '/users'],
      ['GET', '/applications'],
      ['GET', '/sessions'],
    ];

    it.each(PLACES)('%s %s', async (method, path, body) => {
      for (const resource of [undefined, RESOURCE]) {
        const { accessToken } = await party.logIn(browser, user, { resource });
        const response = await send(method, path, accessToken, body);
        expect(response.status).toBe(401);
        expect(response.cookies).toEqual([]);
        expect((await callerOf(service, browser).get('/auth/me')).status).toBe(200);
      }
    });

    it('Authenticate over gRPC', async () => {
      const { accessToken } = await party.logIn(browser, user);
      const credential = { $case: 'bearerToken', value: accessToken } as const;
      const { outcome } = await clientsOf(service.deployment).identity.authenticate({ credential });
      expect(outcome).toMatchObject({ $case: 'refusal', value: { reason: Reason.REASON_TOKEN_INVALID } });
    });

    it('gRPC with the token as metadata, and Envoy', async () => {
      for (const resource of [undefined, RESOURCE]) {
        const { accessToken } = await party.logIn(browser, user, { resource });
        const calls = clientsOf(service.deployment);
        const as = { authorization: [`Bearer ${accessToken}`] };
        expect(await outcomeOf(calls.session.listMySessions({}, as))).toBe('TOKEN_INVALID');
        expect(await outcomeOf(calls.authorization.listMyGrants({}, as))).toBe('TOKEN_INVALID');
        expect(await envoyStatus(accessToken)).toBe(401);
      }
    });

    it('the revocation feed, Profile A refresh with a refresh token', async () => {
      const { accessToken, refreshToken } = await party.logIn(browser, user);
      expect((await send('GET', '/auth/revocations', accessToken)).status).toBe(401);
      const rest = restClient(service.deployment.url);
      const refused = await rest.refresh(`MY_SHOP_REFRESH=${refreshToken}`);
      expect(refused.status).toBe(401);
      await party.tokensOf(await party.refresh(refreshToken));
    });
  });

  describe('with our audience', () => {
    let accessToken: string;
    beforeAll(async () => {
      ({ accessToken } = await party.logIn(browser, user, { resource: OURS }));
      expect(decodeJwt(accessToken).aud).toBe(OURS);
    });

    it('are worth what a token of the session is worth', async () => {
      expect((await send('GET', '/auth/me', accessToken)).body).toMatchObject({ id: user.sub });
      expect((await send('GET', '/auth/verify', accessToken)).status).toBeLessThan(300);
      expect((await send('GET', '/account/grants', accessToken)).status).toBe(200);
      expect(await envoyStatus(accessToken)).toBe(200);
    });

    it('are as fresh as the authentication of their session, also without a session', async () => {
      const own = await signedIn(service, user, true);
      const scope = 'openid offline_access';
      const [bound, offline] = [
        await party.logIn(own, user, { resource: OURS }),
        await party.logIn(own, user, { resource: OURS, scope }),
      ];
      const verify = async (query: string) => {
        const responses = [];
        for (const { refreshToken } of [bound, offline]) {
          const tokens = await party.tokensOf(await party.refresh(refreshToken));
          responses.push((await send('GET', `/auth/verify?${query}`, tokens.accessToken)).status);
        }
        return responses;
      };
      expect(await verify('max-age=600')).toEqual([200, 200]);
      expect(await verify('amr=mfa')).toEqual([401, 401]);
      service.advance(601_000);
      expect(await verify('max-age=600')).toEqual([401, 401]);
      expect(await verify('max-age=700')).toEqual([200, 200]);
    });

    it('end their session at a logout, or their grant if it has none', async () => {
      const other = await signedIn(service, user);
      const offline = await party.logIn(other, user, { resource: OURS, scope: 'openid offline_access' });
      const bound = await party.logIn(other, user, { resource: OURS });
      expect((await send('POST', '/auth/logout', offline.accessToken)).status).toBe(200);
      expect((await send('GET', '/auth/me', offline.accessToken)).status).toBe(401);
      expectTokenError(await party.refresh(offline.refreshToken), 'invalid_grant');
      expect((await send('GET', '/auth/me', bound.accessToken)).status).toBe(200);
      expect((await send('POST', '/auth/logout', bound.accessToken)).status).toBe(200);
      expectTokenError(await party.refresh(bound.refreshToken), 'invalid_grant');
      expect((await callerOf(service, other).get('/auth/me')).status).toBe(401);
    });

    it.each<[method: string, path: string, body?: string]>([
      ['POST', '/account/confirm', '{"password":"Correct horse 42"}'],
      ['PUT', '/account/password', '{"currentPassword":"Correct horse 42","newPassword":"A long enough password"}'],
      ['POST', '/account/factors/totp'],
      ['POST', '/account/factors/recovery-codes'],
      ['POST', '/applications', '{}'],
      ['POST', '/signing-keys/rotate', '{}'],
    ])('%s %s is 403', async (method, path, body) => {
      expect((await send(method, path, accessToken, body)).status).toBe(403);
    });

    it('are as old as the login before them, also without a session', async () => {
      const more = { resource: OURS, scope: 'openid offline_access' };
      const { refreshToken } = await party.logIn(await signedIn(service, user), user, more);
      service.advance(600_000);
      const offline = (await party.tokensOf(await party.refresh(refreshToken))).accessToken;
      expect((await send('GET', '/auth/verify?max-age=900', offline)).status).toBeLessThan(300);
      expect((await send('GET', '/auth/verify?max-age=300', offline)).status).toBe(401);
    });
  });

  describe('at userinfo', () => {
    const url = () => service.metadata['userinfo_endpoint'] as string;
    const challengeOf = (response: { headers: Headers }) => response.headers.get('www-authenticate');

    it('no token is 401 with a challenge alone', async () => {
      for (const response of [
        await party.userinfo(),
        await service.send('POST', url(), formOf('')),
        await service.send('GET', `${url()}?access_token=${(await party.logIn(browser, user)).accessToken}`),
      ])
        expect([response.status, challengeOf(response)]).toEqual([401, 'Bearer']);
    });

    it('tokens of sessions, machines and nobody are 401 invalid_token', async () => {
      const machine = await seedClient(service.deployment.database);
      const { access_token: ofMachine } = (await tokenClient(service.deployment.url).byForm(machine)).body;
      const { idToken, refreshToken } = await party.logIn(browser, user);
      const responses = [];
      for (const token of [browser.accessToken!, ofMachine, idToken, refreshToken, 'x', 'a.b.c']) {
        const response = await party.userinfo(token);
        responses.push([response.text, challengeOf(response)]);
        expect([response.status, challengeOf(response)]).toEqual([
          401,
          expect.stringMatching(/^Bearer .*error="invalid_token"/),
        ]);
      }
      // They do not tell why.
      if (mode === 'minimal') for (const one of responses) expect(one).toEqual(responses[0]);
    });

    it('two tokens are 400 invalid_request', async () => {
      const { accessToken } = await party.logIn(browser, user);
      const form = formOf(new URLSearchParams({ access_token: accessToken }));
      const twice = formOf(`access_token=${accessToken}&access_token=${accessToken}`);
      for (const init of [{ ...form, headers: { ...form.headers, ...bearer(accessToken) } }, twice]) {
        const response = await service.send('POST', url(), init);
        expect([response.status, challengeOf(response)]).toEqual([
          400,
          expect.stringContaining('error="invalid_request"'),
        ]);
      }
    });
  });
});
