// Uses and misuses of every kind of credential. leaked-secrets.test.ts then searches the traces for secrets.
import { expect } from 'vitest';
import { ApiKeyServiceService } from '../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import {
  RefreshTokenTransport,
  SessionServiceService,
} from '../../proto/gen/authservice/session/v1/session_service.ts';
import { seedAccount } from '../support/accounts.ts';
import { type Deployment } from '../support/deployment.ts';
import { bearer, restClient, sessionOf } from '../support/rest-client.ts';
import { tokenClient as profileB, tokensOf } from '../support/token-client.ts';
import { administratorWith, meBy } from './api-key/api-keys.ts';
import { INTROSPECT, REVOKE, tokenClient as machineClient, tokenSender } from './m2m/clients.ts';
import type { Canaries } from '../support/canaries.ts';
import type { DeploymentOptions } from '../support/deployment.ts';

export const SPECIAL = 'pässwörd %41+&="\\ ✓';

/** The same secret but for one character in its middle. */
export function tampered(secret: string): string {
  const at = Math.floor(secret.length / 2);
  return secret.slice(0, at) + (secret[at] === 'A' ? 'B' : 'A') + secret.slice(at + 1);
}

function jsonBase64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Two deployments on one database, of profiles A and B, with an account and the functions that collect traces. */
export interface Scene {
  readonly kind: Pick<DeploymentOptions, 'engine' | 'transport'>;
  readonly a: Deployment;
  readonly b: Deployment;
  /** Headers of an administrator. */
  readonly admin: Record<string, string>;
  /** Call options of the administrator. */
  asAdmin(): { readonly authorization: string[] };
  /** Collects the error of a call that may fail. */
  attempt(call: Promise<unknown>): Promise<unknown>;
  /** Remembers a secret that no trace may contain, and returns it. */
  readonly keep: Canaries['keep'];
  readonly username: string;
  readonly password: string;
  readonly mistyped: string;
  /** The collected errors, which tests can extend. */
  readonly failures: string[];
}

export async function usePasswords({ a, asAdmin, attempt, keep, username, password, mistyped }: Scene): Promise<void> {
  const identity = a.client(IdentityServiceService);
  const session = a.client(SessionServiceService);
  const rest = restClient(a.url);
  const user = {
    username,
    name: 'Canary',
    roles: ['MANAGER'],
    accountExpiresAt: undefined,
    credentialsExpireAt: undefined,
  };
  const created = await identity.createUser({ ...user, password }, asAdmin());
  await attempt(identity.createUser({ ...user, password }, asAdmin()));
  await attempt(identity.createUser({ ...user, username: '', password: mistyped, roles: ['NONE'] }, asAdmin()));
  await attempt(identity.setUserPassword({ userId: 'x', password: mistyped }, asAdmin()));

  expect((await rest.login({ username, password })).status).toBe(200);
  for (const body of [
    { username, password: mistyped },
    { username: 'canary-nobody', password },
    { username: [password], password: { mistyped } },
    { username, password, rememberMe: password },
    { username, password: password.repeat(60) },
    { [password]: password },
    `{"username":"${username}","password":${JSON.stringify(password)}`,
    `{"password":${JSON.stringify(password)},"password":${JSON.stringify(mistyped)}}`,
    JSON.stringify({ username, password }).repeat(2000),
  ])
    expect((await rest.login(body)).status).toBeGreaterThanOrEqual(400);
  const query = `?password=${encodeURIComponent(password)}`;
  await rest.postJson(`/api/v1/auth/login${query}`, { username, password: mistyped });
  await rest.send('GET', `/api/v1/auth/login${query}`);
  await rest.send('POST', '/api/v1/auth/login', { body: new URLSearchParams({ username, password }) });
  await rest.login({ username }, { authorization: `Basic ${Buffer.from(`u:${password}`).toString('base64')}` });
  const form = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_UNSPECIFIED;
  await attempt(session.login({ username, password, rememberMe: false, refreshTokenTransport: form }));
  for (let round = 0; round < 5; round += 1) await rest.login({ username, password: mistyped });
  expect((await rest.login({ username, password })).status).toBe(423);

  const userId = created.user!.account!.id;
  await identity.unlockUser({ userId }, asAdmin());
  const next = keep('next password', `Canary-3 ${SPECIAL}`);
  await identity.setUserPassword({ userId, password: next }, asAdmin());
  const { accessToken } = sessionOf(await rest.login({ username, password: next }));
  const own = { authorization: [`Bearer ${keep('access token', accessToken)}`] };
  await attempt(identity.changeOwnPassword({ currentPassword: mistyped, newPassword: next }, own));
  await attempt(identity.changeOwnPassword({ currentPassword: next, newPassword: 'short' }, own));
  await identity.changeOwnPassword({ currentPassword: next, newPassword: password }, own);
  await identity.disableUser({ userId }, asAdmin());
  expect((await rest.login({ username, password })).body.errorCode).toBe('account-disabled');
  await identity.enableUser({ userId }, asAdmin());
}

export async function useCookieSessions({ a, keep, username, password }: Scene): Promise<void> {
  const rest = restClient(a.url);
  const first = sessionOf(await rest.login({ username, password, rememberMe: true }));
  const second = sessionOf({ ...(await rest.refresh(first.cookie)), body: { accessToken: '-' } });
  const valueOf = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);
  const [old, current] = [first, second].map(({ cookie }) => keep('refresh cookie', valueOf(cookie)));
  const token = keep('access token', first.accessToken);
  const forgedToken = keep('forged access token', tampered(token));
  const forgedCookie = keep('forged refresh cookie', tampered(current!));

  const unsigned = keep('forged access token', `${token.slice(0, token.lastIndexOf('.'))}.${'canary'.repeat(15)}`);
  const [header, payload] = token.split('.');
  const foreign = { ...JSON.parse(Buffer.from(payload!, 'base64url').toString()), sub: 'canary' };
  const invented = keep('forged access token', `${header}.${jsonBase64url(foreign)}.${'canary'.repeat(15)}`);
  for (const value of [forgedToken, unsigned, invented, `${token} ${token}`, old!])
    expect((await rest.me(value)).status).toBe(401);
  await rest.send('GET', `/api/v1/auth/me?access_token=${token}`);
  await rest.send('GET', `/api/v1/auth/verify?permission=${token}`, { headers: bearer(forgedToken) });
  await rest.send('GET', `/api/v1/auth/verify?permission=${encodeURIComponent(forgedToken.slice(-60))}`, {
    headers: bearer(token),
  });
  await rest.send('GET', '/api/v1/auth/me', { headers: { authorization: `Basic ${token}` } });
  await rest.send('GET', '/api/v1/auth/me', { headers: { 'x-api-key': token, ...bearer(forgedToken) } });
  await rest.logout({ accessToken: forgedToken, cookie: `MY_SHOP_REFRESH=${forgedCookie}` });
  await rest.refresh(`MY_SHOP_REFRESH=${forgedCookie}`);
  await rest.refresh(`MY_SHOP_REFRESH=${token}`);
  await rest.refresh(`${second.cookie}; ${second.cookie}`);
  await rest.refresh(second.cookie, { origin: 'https://evil.test' });
  await rest.refresh(undefined, { 'x-refresh-token': forgedCookie });
  await rest.refresh(undefined, bearer(forgedCookie));
  expect((await rest.refresh(first.cookie)).status).toBe(401);
  expect((await rest.me(token)).status).toBe(401);

  const last = sessionOf(await rest.login({ username, password }));
  keep('access token', last.accessToken);
  keep('refresh cookie', valueOf(last.cookie));
  expect((await rest.logout(last)).status).toBe(200);
  expect((await rest.refresh(last.cookie)).status).toBe(401);
  expect((await rest.logout(last)).status).toBe(401);
}

export async function useRefreshTokens({ b, keep, username, password, mistyped }: Scene): Promise<void> {
  const rest = profileB(b.url);
  const first = tokensOf(await rest.login({ username, password }));
  const second = tokensOf(await rest.refresh(first.refreshToken));
  for (const { accessToken, refreshToken } of [first, second]) {
    keep('access token', accessToken);
    keep('refresh token', refreshToken);
  }
  const forged = keep('forged refresh token', tampered(first.refreshToken));
  for (const value of [forged, [first.refreshToken], first.accessToken, { value: forged }, forged.repeat(300)])
    expect((await rest.refresh(value)).status).toBeGreaterThanOrEqual(400);
  await rest.postJson('/api/v1/auth/refresh', `{"refresh_token":"${second.refreshToken}"`);
  expect((await rest.refresh(first.refreshToken)).status).toBe(401);
  expect((await rest.refresh(second.refreshToken)).status).toBe(401);
  await rest.login({ username, password: mistyped });
  await rest.me(second.refreshToken);
  await rest.logout(tampered(second.accessToken));
  await rest.logout(second.accessToken);
}

export async function useClientSecrets({ a, asAdmin, attempt, keep, kind, failures }: Scene): Promise<void> {
  const clients = a.client(ClientCredentialsServiceService);
  const rest = machineClient(a.url);
  const account = { clientId: `canary-client-${kind.engine}-${kind.transport}`, name: 'Canary', roles: ['SALES'] };
  const { clientSecret, serviceAccount } = await clients.createServiceAccount(account, asAdmin());
  const good = { id: account.clientId, secret: keep('client secret', clientSecret) };
  const named = { serviceAccountId: serviceAccount!.id, expiresAt: undefined };
  const more = await clients.createClientSecret(named, asAdmin());
  const other = { ...good, secret: keep('client secret', more.clientSecret) };
  await attempt(clients.createClientSecret(named, asAdmin()));
  const wrong = { ...good, secret: keep('wrong client secret', `wrong-${SPECIAL}`) };
  const bad = [
    wrong,
    { ...good, secret: keep('wrong client secret', tampered(good.secret)) },
    { ...good, id: 'canary-no' },
  ];

  for (const ask of [rest.byForm, rest.byBasic, rest.byJson]) {
    for (const credentials of [good, other]) {
      const { status, body } = await ask(credentials);
      expect(status).toBe(200);
      keep('machine access token', body.access_token);
    }
    for (const credentials of bad) expect((await ask(credentials)).status).toBe(401);
  }
  const basic = { authorization: `Basic ${Buffer.from(good.secret).toString('base64')}` };
  for (const body of [
    `grant_type=password&client_id=${good.id}&client_secret=${good.secret}`,
    `grant_type=client_credentials&client_id=${good.id}&client_secret=${good.secret}&scope=${good.secret}`,
    `client_secret=${good.secret}&client_secret=${good.secret}`,
    `grant_type=client_credentials&client_secret=%zz${good.secret}`,
  ]) {
    expect((await rest.post(body)).status).toBe(400);
    expect((await rest.post(body, basic)).status).toBe(400);
  }
  await rest.post('grant_type=client_credentials', basic);
  const introspection = tokenSender(a.url, INTROSPECT);
  const revocation = tokenSender(a.url, REVOKE);
  const revocable = keep('machine access token', (await rest.byForm(good)).body.access_token);
  for (const { byForm, byBasic, byJson, post } of [introspection, revocation]) {
    for (const ask of [byForm, byBasic, byJson]) {
      for (const credentials of bad) expect((await ask(revocable, credentials)).status).toBe(401);
      failures.push((await ask(tampered(revocable), good)).text, (await ask(good.secret, good)).text);
    }
    expect((await post(`token=${revocable}&token=${revocable}&client_secret=${good.secret}`)).status).toBe(400);
    expect((await post(`token=${revocable}&client_secret=${good.secret}`, basic)).status).toBe(400);
  }
  expect((await revocation.byForm(revocable, good)).status).toBe(200);
  const { send, postJson } = restClient(a.url);
  await postJson('/api/v1/auth/token', { client_id: [good.secret], client_secret: { x: good.secret } });
  await postJson('/api/v1/auth/token', `{"client_secret":"${good.secret}"`);
  await send('POST', `/api/v1/auth/token?client_secret=${good.secret}`);
  await clients.disableServiceAccount({ serviceAccountId: serviceAccount!.id }, asAdmin());
  expect((await rest.byForm(good)).status).toBe(401);
}

export async function useApiKeys({ a, b, admin, asAdmin, attempt, keep, failures }: Scene): Promise<void> {
  const holder = await seedAccount(a.database, { interactive: false });
  const by = administratorWith(a.url, holder, admin);
  const { keyId, apiKey } = (await by.issue(holder)).body;
  const forged = keep('forged API key', tampered(keep('API key', apiKey)));
  expect((await meBy(b.url, apiKey)).status).toBe(200);
  const rest = restClient(a.url);
  await meBy(a.url, forged);
  await meBy(a.url, `${apiKey},${apiKey}`);
  await meBy(a.url, apiKey, admin);
  await rest.me(apiKey);
  await rest.logout({ accessToken: apiKey });
  await rest.send('GET', `/api/v1/auth/me?api_key=${apiKey}`);
  failures.push((await by.list(holder)).text);
  await by.list(holder, `?page=${apiKey}&x=${apiKey}`);
  const keys = a.client(ApiKeyServiceService);
  await attempt(keys.revokeApiKey({ serviceAccountId: holder.id, keyId: apiKey }, { apiKey: [apiKey] }));
  await attempt(keys.revokeApiKey({ serviceAccountId: apiKey, keyId: apiKey }, asAdmin()));
  expect((await by.revoke(holder, keyId)).status).toBe(204);
  expect((await meBy(a.url, apiKey)).status).toBe(401);
}

export async function useCredentialsWithoutTables({
  a,
  b,
  admin,
  asAdmin,
  keep,
  username,
  password,
  kind,
}: Scene): Promise<void> {
  const client = await a
    .client(ClientCredentialsServiceService)
    .createServiceAccount(
      { clientId: `canary-outage-${kind.engine}-${kind.transport}`, name: 'Canary', roles: ['ADMIN'] },
      asAdmin(),
    );
  const holder = administratorWith(a.url, await seedAccount(a.database, { interactive: false }), admin);
  const apiKey = keep('API key', (await holder.issue(holder.account)).body.apiKey);
  const credentials = {
    id: `canary-outage-${kind.engine}-${kind.transport}`,
    secret: keep('client secret', client.clientSecret),
  };
  const rest = restClient(a.url);
  for (const table of [
    'audit_records',
    'session_families',
    'api_keys',
    'client_secrets',
    'token_blacklist',
    'accounts',
  ]) {
    const session = sessionOf(await rest.login({ username, password }));
    const tokens = tokensOf(await profileB(b.url).login({ username, password }));
    keep('access token', session.accessToken);
    keep('refresh cookie', session.cookie.split('=')[1]!);
    keep('refresh token', tokens.refreshToken);
    await a.database.execute(`ALTER TABLE ${table} RENAME TO gone`);
    const responses = [
      await rest.login({ username, password }),
      await rest.refresh(session.cookie),
      await rest.me(session.accessToken),
      await profileB(b.url).refresh(tokens.refreshToken),
      await meBy(a.url, apiKey),
      await holder.issue(holder.account),
      await machineClient(a.url).byBasic(credentials),
      await machineClient(a.url).byJson(credentials),
      await rest.logout(session),
    ];
    await a.database.execute(`ALTER TABLE gone RENAME TO ${table}`);
    expect(responses.some(({ status }) => status === 500)).toBe(true);
    for (const { body } of responses) {
      const issued = body?.accessToken ?? body?.access_token ?? body?.apiKey;
      if (issued !== undefined) keep('issued meanwhile', issued);
    }
  }
}
