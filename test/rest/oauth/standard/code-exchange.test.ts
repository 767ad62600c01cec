// The redemption of codes: what is refused, and what a refusal changes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../../support/argon2.ts';
import {
  authorizedBy,
  CHALLENGE_OF,
  createParty,
  expectTokenError,
  random,
  someoneAt,
  WITHOUT_PKCE,
  type Parameters,
  type Party,
} from '../../../support/oauth/party.ts';
import { PROVIDERS } from '../../../support/oauth/providers.ts';
import type { Browser, Provider, User } from '../../../support/oauth/provider.ts';

rememberPasswords();

describe.each(PROVIDERS)('code exchange: $name', ({ open }) => {
  let provider: Provider;
  let party: Party;
  let plain: Party;
  let known: { readonly user: User; readonly browser: Browser };
  beforeAll(async () => {
    provider = await open();
    party = await createParty(provider, { redirectUris: ['https://app.example.com/a', 'https://app.example.com/b'] });
    plain = await createParty(provider, { requirePkce: false });
    known = await someoneAt(party);
    await plain.logIn(known.browser, known.user);
  });
  afterAll(() => provider?.close());

  const authorize = async (by = party, more: Parameters = {}) => {
    const { request, ...outcome } = await by.authorize(known.browser, more);
    return authorizedBy(await known.browser.finish(outcome, known.user), request);
  };

  it.each<[what: string, more: Parameters]>([
    ['without a verifier', { code_verifier: undefined }],
    ['with another verifier', { code_verifier: random() }],
    ['with another registered redirect URI', { redirect_uri: 'https://app.example.com/b' }],
    ['with an unregistered redirect URI', { redirect_uri: 'https://evil.test/' }],
    ['with another spelling of the redirect URI', { redirect_uri: 'https://app.example.com:443/a' }],
  ])('a code %s is invalid_grant', async (_, more) => {
    expectTokenError(await party.redeem(await authorize(), more), 'invalid_grant');
  });

  it('a code with its challenge as verifier is invalid_grant', async () => {
    const authorized = await authorize();
    const codeVerifier = CHALLENGE_OF(authorized.verifier);
    expectTokenError(await party.redeem(authorized, { code_verifier: codeVerifier }), 'invalid_grant');
  });

  it('a code of another client is invalid_grant, and stays good (keycloak 51003)', async () => {
    const authorized = await authorize();
    expectTokenError(await plain.redeem(authorized), 'invalid_grant');
    await party.tokensOf(await party.redeem(authorized), authorized.nonce);
  });

  it('a verifier without a challenge is invalid_grant (kanidm 1097, keycloak 26430)', async () => {
    const authorized = await authorize(plain, WITHOUT_PKCE);
    expectTokenError(await plain.redeem(authorized, { code_verifier: random() }), 'invalid_grant');
  });

  it('a challenge of a client that needs none must be met (zitadel/oidc 741)', async () => {
    const authorized = await authorize(plain);
    expectTokenError(await plain.redeem(authorized, { code_verifier: undefined }), 'invalid_grant');
  });

  it('a forged code is invalid_grant', async () => {
    const { code, ...authorized } = await authorize();
    for (const forged of [random(), `${code}x`, code.slice(0, -1), code.toUpperCase(), 'x'.repeat(1_000)])
      expectTokenError(await party.redeem({ ...authorized, code: forged }), 'invalid_grant');
  });

  it('a code is good in its 59th second, and expired in its 60th', async () => {
    const [first, second] = [await authorize(), await authorize()];
    provider.advance(59_000);
    await party.tokensOf(await party.redeem(first), first.nonce);
    provider.advance(1_000);
    expectTokenError(await party.redeem(second), 'invalid_grant');
  });

  it('a second redemption ends the tokens of the first (better-auth 10150)', async () => {
    const { code: _, ...tokens } = await party.logIn(known.browser, known.user);
    const authorized = { ...tokens, code: _ };
    expect((await party.userinfo(tokens.accessToken)).status).toBe(200);
    expectTokenError(await party.redeem(authorized), 'invalid_grant');
    expect((await party.userinfo(tokens.accessToken)).status).toBe(401);
    expectTokenError(await party.refresh(tokens.refreshToken), 'invalid_grant');
  });

  it('the failed authentication of a client leaves the code good (oauth2-proxy 1992)', async () => {
    const authorized = await authorize();
    expectTokenError(await party.redeem(authorized, { client_id: party.client.id }, null), 'invalid_client', 401);
    await party.tokensOf(await party.redeem(authorized), authorized.nonce);
  });

  it.each<[what: string, form: Parameters, error: string]>([
    ['no grant_type', { grant_type: undefined }, 'invalid_request'],
    ['no code', { code: undefined }, 'invalid_request'],
    ['an unknown grant_type', { grant_type: 'unknown' }, 'unsupported_grant_type'],
    ['a password grant', { grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
    ['two codes', { code: ['a', 'b'] }, 'invalid_request'],
    ['two grant types', { grant_type: ['authorization_code', 'authorization_code'] }, 'invalid_request'],
  ])('%s', async (_, form, error) => {
    expectTokenError(await party.redeem(await authorize(), form), error);
  });

  it('unknown parameters and scope beside a code are ignored', async () => {
    const authorized = await authorize();
    const response = await party.redeem(authorized, { unknown: 'x', scope: 'openid' });
    await party.tokensOf(response, authorized.nonce);
  });
});
