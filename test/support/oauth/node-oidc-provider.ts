// node-oidc-provider with clients and accounts like those of this service. It passes the conformance tests of the OpenID Foundation, so
// a test that it fails is wrong, or asks for more than the specifications do.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';
import { restClient } from '../rest-client.ts';
import { formOf } from './browser.ts';
import { CALLBACK } from './party.ts';
import { newSigningKey, publicJwk } from './signing-key.ts';
import type { Client, ClientFields, Metadata, Pages, Provider, User } from './provider.ts';

const CLAIMS = {
  openid: ['sub'],
  profile: ['name', 'preferred_username', 'updated_at', 'locale'],
  email: ['email', 'email_verified'],
  roles: ['roles'],
  groups: ['groups'],
  tenant: ['tenantId', 'tenantName'],
  sid: null,
  auth_time: null,
  iss: null,
  acr: null,
};
const RESOURCE = { scope: '', accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } };

/** Starts a provider. It freezes the time of the process until it is closed. */
export async function openNodeOidcProvider(): Promise<Provider> {
  vi.useFakeTimers({ toFake: ['Date'] });
  // Its advice for production.
  const silenced = (['info', 'warn'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}));
  const { default: OidcProvider } = await import('oidc-provider');
  const users = new Map<string, User>();
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('request', new OidcProvider(issuer, configurationOf(users)).callback());
  const { send } = restClient(issuer);
  const metadata = (await send('GET', '/.well-known/openid-configuration')).body as Metadata;

  return {
    issuer,
    metadata,
    pages: PAGES,
    send: (method, url, init) => send(method, url.slice(issuer.length), init ?? {}),
    async register(fields = {}) {
      const key = fields.authentication === 'private_key_jwt' ? newSigningKey() : undefined;
      const { pathname } = new URL(metadata['registration_endpoint']);
      const sent = { ...registrationOf(fields), ...(key && { jwks: { keys: [publicJwk(key)] } }) };
      const { status, body } = await send('POST', pathname, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sent),
      });
      if (status !== 201) throw new Error(`not registered: ${JSON.stringify(body)}`);
      const { client_id: id, client_secret: secret } = body;
      const { token_endpoint_auth_method: authentication, redirect_uris: redirectUris } = sent;
      return { id, type: fields.type ?? 'WEB', authentication, secret, key, redirectUri: redirectUris[0]! };
    },
    async user() {
      const sub = randomUUID();
      const user = { sub, username: `${sub}@acme.test`, name: 'Alice', email: `${sub}@acme.test` };
      users.set(sub, user);
      return user;
    },
    now: () => Math.floor(new Date().getTime() / 1000),
    advance: (milliseconds) => void vi.setSystemTime(new Date().getTime() + milliseconds),
    async close() {
      vi.useRealTimers();
      for (const spy of silenced) spy.mockRestore();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function registrationOf({ type = 'WEB', redirectUris = [CALLBACK], authentication, requirePkce = true }: ClientFields) {
  const method: Client['authentication'] = authentication ?? (type === 'WEB' ? 'client_secret_basic' : 'none');
  return {
    application_type: type === 'NATIVE' ? 'native' : 'web',
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    ...(method === 'private_key_jwt' && { token_endpoint_auth_signing_alg: 'ES256' }),
    require_pkce: requirePkce,
  };
}

function configurationOf(users: ReadonlyMap<string, User>): object {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  return {
    jwks: { keys: [{ ...key, alg: 'RS256', use: 'sig', kid: 'rsa' }] },
    cookies: { keys: ['not a secret'], long: { httpOnly: true, sameSite: 'none' } },
    claims: CLAIMS,
    conformIdTokenClaims: false,
    acrValues: ['mfa', 'phr'],
    extraClientMetadata: { properties: ['require_pkce'] },
    pkce: { required: (_: unknown, client: Readonly<Record<string, unknown>>) => client['require_pkce'] === true },
    issueRefreshToken: () => true,
    enableHttpPostMethods: true,
    allowOmittingSingleRegisteredRedirectUri: false,
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...claimsOf(users.get(accountId)) }),
    }),
    features: {
      registration: { enabled: true },
      introspection: { enabled: true },
      revocation: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, audience: string) => ({ ...RESOURCE, audience }),
      },
    },
    ttl: { AccessToken: 900, AuthorizationCode: 60, IdToken: 600, RefreshToken: 2_592_000, Session: 86_400 },
  };
}

function claimsOf(user: User | undefined) {
  if (!user) return {};
  const { username, name, email } = user;
  return {
    name,
    preferred_username: username,
    updated_at: 0,
    email,
    email_verified: true,
    roles: ['ROLE_MANAGER'],
    groups: ['MANAGER'],
    tenantId: 'acme',
    tenantName: 'acme',
  };
}

/** The forms of its development: a login, then a consent. */
const PAGES: Pages = {
  isPage: (url) => new URL(url).pathname.startsWith('/interaction/'),
  async answer(url, browser, user, decision) {
    const { text } = await browser.send('GET', url);
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(text) ?? [];
    if (prompt === undefined) throw new Error(`not a form: ${text.slice(0, 500)}`);
    const { method, ...init } = formOf(new URLSearchParams({ prompt, login: user.sub, password: 'any' }));
    const isDenied = prompt === 'consent' && decision === 'DENY';
    const response = isDenied
      ? await browser.send('GET', `${url}/abort`)
      : await browser.send(method, url, { ...init });
    const location = response.headers.get('location');
    if (location === null) throw new Error(`not accepted: ${response.status} ${response.text.slice(0, 500)}`);
    return new URL(location, url).href;
  },
};
