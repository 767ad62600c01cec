// Refusals of the token endpoint, in both disclosure modes: under minimal disclosure they do not tell their reason.
import { beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { leaksOf } from '../../support/leaks.ts';
import { formOf, openBrowser } from '../../support/oauth/browser.ts';
import { random, toForm, WITHOUT_PKCE, type Parameters } from '../../support/oauth/party.ts';
import type { Browser } from '../../support/oauth/provider.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import {
  openedService,
  requestIdOf,
  signedIn,
  type ServiceParty,
  type ServiceUser,
} from '../../support/oauth/service.ts';
import { formError } from '../m2m/oauth-errors.ts';

rememberPasswords();

const MODES = ['maximal', 'minimal'] as const;
const CASES = MODES.map((mode, index) => ({ mode, ...DIAGONAL[index % DIAGONAL.length]! }));

describe.each(CASES)('token errors, $mode disclosure, $engine over $transport', ({ mode, ...kind }) => {
  const service = openedService({ ...kind, settings: { 'app.api.error-disclosure.mode': mode } });
  let party: ServiceParty;
  let other: ServiceParty;
  let plain: ServiceParty;
  let spa: ServiceParty;
  let native: ServiceParty;
  let user: ServiceUser;
  let browser: Browser;
  beforeAll(async () => {
    party = await service.party({ firstParty: true, redirectUris: ['https://app.example.com/a', 'https://b.test/'] });
    other = await service.party({ firstParty: true });
    plain = await service.party({ firstParty: true, requirePkce: false });
    spa = await service.party({ firstParty: true, type: 'SPA' });
    native = await service.party({ firstParty: true, type: 'NATIVE', redirectUris: ['com.example:/cb'] });
    user = await service.user();
    browser = await signedIn(service, user);
  });

  const code = (more: Parameters = {}, by = party) => by.signIn(browser, user, more);
  const post = (form: Parameters, headers: Record<string, string> = {}): Promise<RestResponse> => {
    const { headers: own, ...sent } = formOf(toForm(form));
    const url = service.metadata['token_endpoint'] as string;
    return service.send('POST', url, { ...sent, headers: { ...own, ...headers } });
  };
  const requestId = async (): Promise<string> => {
    const { request: _, ...outcome } = await party.authorize(openBrowser(service));
    if (outcome.kind !== 'page') throw new Error('not a page');
    return requestIdOf(outcome.url);
  };
  const expectRefusal = (response: RestResponse, status: number, error: string) => {
    expect(response).toEqual(formError(status, error, mode === 'minimal' ? error : expect.any(String)));
    expect(leaksOf(response.text)).toEqual([]);
  };
  const comparable = ({ status, text, headers }: RestResponse) => [
    status,
    text,
    [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name)),
  ];

  describe('invalid_grant', () => {
    type Refused = readonly [what: string, ask: () => Promise<RestResponse>];
    const redeemed = async (more: Parameters, how: Parameters = {}, by = party) => by.redeem(await code(how, by), more);
    const REFUSED: readonly Refused[] = [
      ['an unknown code', () => redeemed({ code: random() })],
      ['a code of another client', async () => other.redeem(await code())],
      ['another redirect URI', () => redeemed({ redirect_uri: 'https://b.test/' })],
      ['no redirect URI', () => redeemed({ redirect_uri: undefined })],
      ['no verifier', () => redeemed({ code_verifier: undefined })],
      ['an empty verifier', () => redeemed({ code_verifier: '' })],
      ['another verifier', () => redeemed({ code_verifier: random() })],
      ['a short verifier', () => redeemed({ code_verifier: 'a' })],
      ['a long verifier', () => redeemed({ code_verifier: 'a'.repeat(129) })],
      ['an unsolicited verifier', () => redeemed({ code_verifier: random() }, WITHOUT_PKCE, plain)],
      [
        'a used code',
        async () => {
          const authorized = await code();
          await party.redeem(authorized);
          return party.redeem(authorized);
        },
      ],
      // keycloak 47719: one store for values of several kinds.
      ['a refresh token as code', async () => redeemed({ code: (await party.logIn(browser, user)).refreshToken })],
      ['an access token as code', async () => redeemed({ code: (await party.logIn(browser, user)).accessToken })],
      ['a code as refresh token', async () => party.refresh((await code()).code)],
      ['the id of a request as code', async () => redeemed({ code: await requestId() })],
      ['the id of a request as refresh token', async () => party.refresh(await requestId())],
      ['an unknown refresh token', () => party.refresh(random())],
      ['a refresh token of another client', async () => other.refresh((await party.logIn(browser, user)).refreshToken)],
      ['a refresh token of the session', async () => party.refresh(browser.cookies.get('MY_SHOP_REFRESH')!.value)],
      ['an access token as refresh token', async () => party.refresh((await party.logIn(browser, user)).accessToken)],
    ];

    it.each(REFUSED)('%s', async (_, ask) => expectRefusal(await ask(), 400, 'invalid_grant'));

    it('a code that is late', async () => {
      const authorized = await code();
      service.advance(60_000);
      expectRefusal(await party.redeem(authorized), 400, 'invalid_grant');
    });

    if (mode === 'minimal')
      it('has the same bytes for each reason', async () => {
        const responses = [];
        for (const [, ask] of REFUSED) responses.push(comparable(await ask()));
        for (const response of responses) expect(response).toEqual(responses[0]);
      });
  });

  it('public clients may leave out the redirect URI, not send another one', async () => {
    for (const by of [spa, native]) {
      await by.tokensOf(await by.redeem(await code({}, by), { redirect_uri: undefined }));
      const wrong = await by.redeem(await code({}, by), { redirect_uri: 'https://evil.test/' });
      expectRefusal(wrong, 400, 'invalid_grant');
    }
  });

  it('a bad request burns nothing', async () => {
    const authorized = await code();
    for (const more of [
      { code_verifier: random() },
      { code_verifier: undefined },
      { redirect_uri: 'https://b.test/' },
      { redirect_uri: undefined },
    ])
      expectRefusal(await party.redeem(authorized, more), 400, 'invalid_grant');
    expectRefusal(await other.redeem(authorized), 400, 'invalid_grant');
    expectRefusal(await party.redeem(authorized, { client_id: party.client.id }, null), 401, 'invalid_client');
    await party.tokensOf(await party.redeem(authorized), authorized.nonce);
  });

  it('a used code presented by somebody without client, URI and verifier revokes nothing', async () => {
    const tokens = await party.logIn(browser, user);
    for (const more of [{ code_verifier: random() }, { code_verifier: undefined }, { redirect_uri: 'https://b.test/' }])
      expectRefusal(await party.redeem(tokens, more), 400, 'invalid_grant');
    expectRefusal(await other.redeem(tokens), 400, 'invalid_grant');
    expect((await party.userinfo(tokens.accessToken)).status).toBe(200);
    await party.tokensOf(await party.refresh(tokens.refreshToken));
  });

  it('a used code presented again, also after 60 s, revokes the grant', async () => {
    for (const wait of [0, 59_000, 61_000, 600_000]) {
      const fresh = await signedIn(service, user);
      const tokens = await party.logIn(fresh, user);
      service.advance(wait);
      expectRefusal(await party.redeem(tokens), 400, 'invalid_grant');
      expectRefusal(await party.refresh(tokens.refreshToken), 400, 'invalid_grant');
      expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    }
  });

  describe('invalid_client', () => {
    type Refused = readonly [what: string, form: () => Parameters];
    const REFUSED: readonly Refused[] = [
      ['an unknown client', () => ({ client_id: 'unknown', client_secret: random() })],
      ['a wrong secret', () => ({ client_id: party.client.id, client_secret: random() })],
      ['no secret', () => ({ client_id: party.client.id })],
      ['an empty secret', () => ({ client_id: party.client.id, client_secret: '' })],
      ['a secret of another client', () => ({ client_id: party.client.id, client_secret: other.client.secret })],
      ['a secret of a public client', () => ({ client_id: spa.client.id, client_secret: random() })],
      ['a username', () => ({ client_id: user.username, client_secret: 'Correct horse 42' })],
    ];

    it.each(REFUSED)('%s', async (_, form) => {
      const { code: sent, verifier, parameters } = await code();
      const grant = { grant_type: 'authorization_code', code: sent, code_verifier: verifier };
      const redirect = { redirect_uri: parameters.get('redirect_uri')! };
      expectRefusal(await post({ ...grant, ...redirect, ...form() }), 401, 'invalid_client');
      expectRefusal(
        await post({ grant_type: 'refresh_token', refresh_token: random(), ...form() }),
        401,
        'invalid_client',
      );
    });

    if (mode === 'minimal')
      it('has the same bytes for each reason', async () => {
        const responses = [];
        for (const [, form] of REFUSED)
          responses.push(comparable(await post({ grant_type: 'refresh_token', refresh_token: random(), ...form() })));
        for (const response of responses) expect(response).toEqual(responses[0]);
      });

    it('a disabled application', async () => {
      const victim = await service.party({ firstParty: true });
      const { refreshToken, accessToken } = await victim.logIn(browser, user);
      const authorized = await victim.signIn(browser, user);
      const root = await service.root();
      const path = `/applications/${victim.client.applicationId}`;
      await root.patch(path, { disabled: true });
      expectRefusal(await victim.redeem(authorized), 401, 'invalid_client');
      expectRefusal(await victim.refresh(refreshToken), 401, 'invalid_client');
      expect((await victim.userinfo(accessToken)).status).toBe(401);
      await root.patch(path, { disabled: false });
      await victim.tokensOf(await victim.refresh(refreshToken));
      await victim.tokensOf(await victim.redeem(authorized));
    });

    it('an expired secret, while the next one is good', async () => {
      const victim = await service.party({ firstParty: true });
      const root = await service.root();
      const path = `/applications/${victim.client.applicationId}/secrets`;
      const { id } = (await root.get(path)).body[0];
      const { clientSecret } = (await root.post(path, {})).body;
      const { refreshToken } = await victim.logIn(browser, user);
      await root.post(`${path}/${id}/expire`, {});
      expectRefusal(await victim.refresh(refreshToken), 401, 'invalid_client');
      const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const next = { client_id: victim.client.id, client_secret: clientSecret };
      await victim.tokensOf(await post({ ...grant, ...next }));
    });
  });

  it('a scope that the grant does not have is invalid_scope at a refresh, and the grant keeps its own', async () => {
    const { refreshToken } = await party.logIn(browser, user, { scope: 'openid email' });
    expectRefusal(await party.refresh(refreshToken, { scope: 'openid profile' }), 400, 'invalid_scope');
    const narrow = await party.tokensOf(await party.refresh(refreshToken, { scope: 'openid' }));
    expect(narrow.response.body.scope).toBe('openid');
    expect((await party.tokensOf(await party.refresh(refreshToken))).response.body.scope).toBe('openid email');
  });
});
