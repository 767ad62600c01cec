// How clients authenticate at the token endpoint (RFC 6749 section 2.3, RFC 7523 section 3).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UnsecuredJWT, SignJWT } from 'jose';
import { rememberPasswords } from '../../../support/argon2.ts';
import {
  ASSERTION_TYPE,
  authorizedBy,
  basic,
  createParty,
  expectTokenError,
  random,
  someoneAt,
  toForm,
  type Parameters,
  type Party,
} from '../../../support/oauth/party.ts';
import { formOf } from '../../../support/oauth/browser.ts';
import { PROVIDERS_ON_SQLITE } from '../../../support/oauth/providers.ts';
import { newSigningKey } from '../../../support/oauth/signing-key.ts';
import type { Browser, Provider, User } from '../../../support/oauth/provider.ts';

rememberPasswords();

describe.each(PROVIDERS_ON_SQLITE)('client authentication: $name', ({ open }) => {
  let provider: Provider;
  let secret: Party;
  let post: Party;
  let keyed: Party;
  let spa: Party;
  let known: { readonly user: User; readonly browser: Browser };
  beforeAll(async () => {
    provider = await open();
    secret = await createParty(provider);
    post = await createParty(provider, { authentication: 'client_secret_post' });
    keyed = await createParty(provider, { authentication: 'private_key_jwt' });
    spa = await createParty(provider, { type: 'SPA' });
    known = await someoneAt(secret);
    for (const party of [post, keyed, spa]) await party.logIn(known.browser, known.user);
  });
  afterAll(() => provider?.close());

  const authorize = async (by: Party) => {
    const { request, ...outcome } = await by.authorize(known.browser);
    return authorizedBy(outcome, request);
  };
  /** Redeems a code with other credentials. */
  const redeemWith = async (by: Party, more: Parameters, headers: Record<string, string> = {}) => {
    const { code, verifier, parameters } = await authorize(by);
    const { headers: own, ...sent } = formOf(
      toForm({
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: parameters.get('redirect_uri')!,
        ...more,
      }),
    );
    return provider.send('POST', provider.metadata['token_endpoint'], { ...sent, headers: { ...own, ...headers } });
  };

  it('a wrong secret by Basic is 401 invalid_client with a challenge', async () => {
    const response = await redeemWith(secret, {}, { authorization: basic(secret.client.id, random()) });
    expectTokenError(response, 'invalid_client', 401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  it('a wrong secret in the form is 401 invalid_client', async () => {
    const more = { client_id: post.client.id, client_secret: random() };
    expectTokenError(await redeemWith(post, more), 'invalid_client', 401);
  });

  it('an unknown client is 401 invalid_client', async () => {
    const more = { client_id: 'unknown', client_secret: random() };
    expectTokenError(await redeemWith(post, more), 'invalid_client', 401);
    expectTokenError(await redeemWith(post, { client_id: 'unknown' }), 'invalid_client', 401);
  });

  it('a confidential client without credentials is 401 invalid_client', async () => {
    expectTokenError(await redeemWith(post, { client_id: post.client.id }), 'invalid_client', 401);
    expectTokenError(await redeemWith(keyed, { client_id: keyed.client.id }), 'invalid_client', 401);
  });

  it('the secret of another client is 401 invalid_client', async () => {
    const more = { client_id: post.client.id, client_secret: secret.client.secret };
    expectTokenError(await redeemWith(post, more), 'invalid_client', 401);
  });

  it('no client is invalid_request', async () => {
    expectTokenError(await redeemWith(post, {}), 'invalid_request');
  });

  it('Basic beside a secret in the form is invalid_request', async () => {
    const { id, secret: own } = secret.client;
    const more = { client_id: id, client_secret: own };
    expectTokenError(await redeemWith(secret, more, { authorization: basic(id, own!) }), 'invalid_request');
  });

  it.each(['', 'Basic', 'Basic !', `Basic ${Buffer.from('a').toString('base64')}`])(
    'a malformed header "%s" is refused',
    async (authorization) => {
      const { status, body } = await redeemWith(secret, {}, { authorization });
      expect([400, 401]).toContain(status);
      expect(['invalid_request', 'invalid_client']).toContain(body.error);
    },
  );

  describe('an assertion', () => {
    const redeem = async (claims: Record<string, unknown>, key = keyed.client.key!) =>
      redeemWith(keyed, {
        client_assertion_type: ASSERTION_TYPE,
        client_assertion: await keyed.assertion(claims, key),
      });

    it.each<[what: string, claims: (now: number) => Record<string, unknown>]>([
      ['of another client', () => ({ sub: secret.client.id, iss: secret.client.id })],
      ['whose issuer is not its subject', () => ({ iss: 'somebody' })],
      ['without a subject', () => ({ sub: undefined })],
      ['for another audience', () => ({ aud: 'https://evil.test' })],
      ['without an audience', () => ({ aud: undefined })],
      ['that has expired', (now) => ({ exp: now - 60, iat: now - 120 })],
      ['without an end', () => ({ exp: undefined })],
      ['that is not yet valid', (now) => ({ nbf: now + 3_600 })],
      ['without an id', () => ({ jti: undefined })],
    ])('%s is 401 invalid_client', async (_, claims) => {
      expectTokenError(await redeem(claims(provider.now())), 'invalid_client', 401);
    });

    it('for the issuer is accepted, and for the endpoint', async () => {
      for (const aud of [provider.issuer, provider.metadata['token_endpoint']])
        expect((await redeem({ aud })).status).toBe(200);
    });

    it('is accepted once', async () => {
      const assertion = await keyed.assertion();
      const more = { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion };
      expect((await redeemWith(keyed, more)).status).toBe(200);
      expectTokenError(await redeemWith(keyed, more), 'invalid_client', 401);
    });

    it('that another key signed is 401 invalid_client', async () => {
      const key = newSigningKey();
      expectTokenError(await redeem({}, key), 'invalid_client', 401);
      expectTokenError(await redeem({}, { ...key, kid: keyed.client.key!.kid }), 'invalid_client', 401);
    });

    it('that nobody signed, or with a shared secret, is 401 invalid_client', async () => {
      const { id } = keyed.client;
      const claims = { iss: id, sub: id, aud: provider.issuer, jti: random(), exp: provider.now() + 60 };
      const hmac = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: keyed.client.key!.kid });
      for (const forged of [new UnsecuredJWT(claims).encode(), await hmac.sign(Buffer.from(id.padEnd(32)))]) {
        const more = { client_assertion_type: ASSERTION_TYPE, client_assertion: forged };
        expectTokenError(await redeemWith(keyed, more), 'invalid_client', 401);
      }
    });

    it.each(['a', 'a.b', 'a.b.c', 'e30.e30.', 'x'.repeat(5_000)])('%j is refused', async (clientAssertion) => {
      const more = { client_assertion_type: ASSERTION_TYPE, client_assertion: clientAssertion };
      const { status, body } = await redeemWith(keyed, more);
      expect([400, 401]).toContain(status);
      expect(['invalid_request', 'invalid_client']).toContain(body.error);
    });

    it('of another type is refused', async () => {
      const more = { client_assertion_type: 'urn:unknown', client_assertion: await keyed.assertion() };
      const { status, body } = await redeemWith(keyed, more);
      expect([400, 401]).toContain(status);
      expect(['invalid_request', 'invalid_client']).toContain(body.error);
    });

    it('beside Basic is invalid_request', async () => {
      const more = { client_assertion_type: ASSERTION_TYPE, client_assertion: await keyed.assertion() };
      const response = await redeemWith(keyed, more, { authorization: basic(keyed.client.id, random()) });
      expectTokenError(response, 'invalid_request');
    });
  });
});
