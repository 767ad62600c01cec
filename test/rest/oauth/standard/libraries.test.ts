// Client libraries, which know nothing of a provider but its issuer.
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../../support/argon2.ts';
import { openBrowser } from '../../../support/oauth/browser.ts';
import { PROVIDERS_OF_PROFILES } from '../../../support/oauth/providers.ts';
import type { Client, Provider, SigningKey } from '../../../support/oauth/provider.ts';
import type { RestResponse } from '../../../support/rest-client.ts';

rememberPasswords();

/** The Web Crypto key of a client. */
async function cryptoKeyOf({ kid, privateKey }: SigningKey): Promise<oauth.PrivateKey> {
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  return { kid, key: await crypto.subtle.importKey('pkcs8', new Uint8Array(pkcs8), algorithm, false, ['sign']) };
}

const AUTHENTICATIONS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const;

describe.each(PROVIDERS_OF_PROFILES)('libraries: $name', ({ open }) => {
  let provider: Provider;
  beforeAll(async () => {
    provider = await open();
  });
  afterAll(() => provider?.close());

  const register = (authentication: Client['authentication']) =>
    provider.register(authentication === 'none' ? { type: 'SPA' } : { authentication });

  /** Sends what a library sends to the issuer, wherever it is. */
  const customFetch = async (url: string, options: oauth.CustomFetchOptions<string, unknown>): Promise<Response> => {
    const { method, headers, body } = options;
    const sent = { headers, ...(body instanceof URLSearchParams && { body: body.toString() }) };
    return responseOf(await provider.send(method, url, sent));
  };

  /** Goes with a browser to a URL and back, as a new user. */
  const travel = async (url: URL) => {
    const user = await provider.user();
    const browser = openBrowser(provider);
    const outcome = await browser.finish(await browser.visit(url.href), user);
    if (outcome.kind !== 'callback') throw new Error(outcome.response.text);
    return { user, callback: new URL(outcome.location) };
  };

  describe.each(AUTHENTICATIONS)('%s', (authentication) => {
    it('openid-client: code flow with PKCE, userinfo, refresh, revocation', async () => {
      const client = await register(authentication);
      const auth = {
        client_secret_basic: () => openid.ClientSecretBasic(client.secret),
        client_secret_post: () => openid.ClientSecretPost(client.secret),
        private_key_jwt: async () => openid.PrivateKeyJwt(await cryptoKeyOf(client.key!)),
        none: () => openid.None(),
      };
      const config = await openid.discovery(
        new URL(provider.issuer),
        client.id,
        { [openid.clockSkew]: provider.now() - Math.floor(new Date().getTime() / 1000) },
        await auth[authentication](),
        { [openid.customFetch]: customFetch, execute: [openid.allowInsecureRequests] },
      );
      const [pkceCodeVerifier, expectedState, expectedNonce] = [
        openid.randomPKCECodeVerifier(),
        openid.randomState(),
        openid.randomNonce(),
      ];
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: client.redirectUri,
        scope: 'openid profile',
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        nonce: expectedNonce,
        max_age: '600',
      });
      const { user, callback } = await travel(url);
      const tokens = await openid.authorizationCodeGrant(config, callback, {
        pkceCodeVerifier,
        expectedState,
        expectedNonce,
        maxAge: 600,
        idTokenExpected: true,
      });
      expect(tokens.claims()!.sub).toBe(user.sub);
      const { name } = await openid.fetchUserInfo(config, tokens.access_token, user.sub);
      expect(name).toBe(user.name);
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token!);
      expect(refreshed.claims()!.sub).toBe(user.sub);
      await openid.tokenRevocation(config, refreshed.refresh_token!);
      await expect(openid.refreshTokenGrant(config, refreshed.refresh_token!)).rejects.toMatchObject({
        error: 'invalid_grant',
      });
    });

    it('oauth4webapi: a pushed request, code flow with PKCE, checked ID token and userinfo', async () => {
      const client = await register(authentication);
      const insecure = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: customFetch };
      const issuer = new URL(provider.issuer);
      const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
      const auth = {
        client_secret_basic: () => oauth.ClientSecretBasic(client.secret!),
        client_secret_post: () => oauth.ClientSecretPost(client.secret!),
        private_key_jwt: async () => oauth.PrivateKeyJwt(await cryptoKeyOf(client.key!)),
        none: () => oauth.None(),
      };
      const authenticate = await auth[authentication]();
      const self = {
        client_id: client.id,
        [oauth.clockSkew]: provider.now() - Math.floor(new Date().getTime() / 1000),
      };
      const [verifier, state, nonce] = [
        oauth.generateRandomCodeVerifier(),
        oauth.generateRandomState(),
        oauth.generateRandomNonce(),
      ];
      const pushed = await oauth.processPushedAuthorizationResponse(
        server,
        self,
        await oauth.pushedAuthorizationRequest(
          server,
          self,
          authenticate,
          new URLSearchParams({
            redirect_uri: client.redirectUri,
            response_type: 'code',
            scope: 'openid email',
            state,
            nonce,
            code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
            code_challenge_method: 'S256',
          }),
          insecure,
        ),
      );
      const url = new URL(server.authorization_endpoint!);
      url.search = new URLSearchParams({ client_id: client.id, request_uri: pushed.request_uri }).toString();
      const { user, callback } = await travel(url);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        self,
        authenticate,
        oauth.validateAuthResponse(server, self, callback, state),
        client.redirectUri,
        verifier,
        insecure,
      );
      const options = { expectedNonce: nonce, requireIdToken: true };
      const tokens = await oauth.processAuthorizationCodeResponse(server, self, response, options);
      await oauth.validateApplicationLevelSignature(server, response, insecure);
      expect(oauth.getValidatedIdTokenClaims(tokens)!.sub).toBe(user.sub);
      const answer = await oauth.userInfoRequest(server, self, tokens.access_token, insecure);
      const claims = await oauth.processUserInfoResponse(server, self, user.sub, answer);
      expect(claims.email).toBe(user.email);
    });
  });
});

function responseOf({ status, headers, text }: RestResponse): Response {
  return new Response(text === '' ? null : text, { status, headers });
}
