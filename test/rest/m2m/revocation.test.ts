// Token revocation (RFC 7009): allowed clients and tokens, the ended sessions, and uniform responses.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { tokenForge } from '../../support/forged-tokens.ts';
import { restClient, type RestResponse, type RestClient } from '../../support/rest-client.ts';
import { seedSession, seedTokens } from '../../support/sessions.ts';
import { tokenClient as profileB } from '../../support/token-client.ts';
import { administrator, ENABLED, meBy } from '../api-key/api-keys.ts';
import { REVOKE, seedClient, tokenClient, tokenSender, type MachineClient, type TokenSender } from './clients.ts';
import { formError, isNotStored, jsonError } from './oauth-errors.ts';
import { rememberPasswords } from '../../support/argon2.ts';

rememberPasswords();

const WAYS = ['byForm', 'byBasic', 'byJson'] as const;

function expectEmpty(response: RestResponse): void {
  expect([response.status, response.text]).toEqual([200, '']);
  expect(isNotStored(response.headers)).toBe(true);
  expect(response.cookies).toEqual([]);
}

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let a: Deployment;
  let b: Deployment;
  let rest: RestClient;
  let revocation: TokenSender;
  let client: MachineClient;
  let user: Account;

  beforeAll(async () => {
    a = await deploy({ ...kind, settings: ENABLED });
    const settings = { ...ENABLED, 'app.security.auth-profile': 'B' };
    b = await deploy({ ...kind, settings, databaseUrl: a.databaseUrl, clock: a.clock });
    rest = restClient(a.url);
    revocation = tokenSender(a.url, REVOKE);
    client = await seedClient(a.database);
    user = await seedAccount(a.database);
  });
  afterAll(async () => {
    await b?.close();
    await a?.close();
  });

  const grant = async (by = client): Promise<string> => (await tokenClient(a.url).byForm(by)).body.access_token;
  const recordsOf = async ({ id }: Account) =>
    (
      await a.database.query<{ event: string; details: string; actor_id: Uint8Array | null }>(
        "SELECT event, details, actor_id FROM audit_records WHERE account_id = ? AND event LIKE 'session.%' ORDER BY id",
        [idToBytes(id)],
      )
    ).map(({ event, details, actor_id }) => ({
      event,
      ...JSON.parse(details ?? '{}'),
      actor: actor_id && Buffer.from(actor_id),
    }));

  it("ends the session of a user's access token, as a logout does", async () => {
    const account = await seedAccount(a.database);
    const { accessToken, cookie, id: sessionId } = await seedSession(a, account);
    const other = await seedSession(a, account);
    expectEmpty(await revocation.anonymously(accessToken));
    expect((await rest.me(accessToken)).status).toBe(401);
    expect((await rest.refresh(cookie)).body.errorCode).toBe('refresh-session-invalid');
    expect((await rest.me(other.accessToken)).status).toBe(200);
    expect((await recordsOf(account))[0]).toEqual({ event: 'session.logged-out', sessionId, actor: null });
  });

  it('ends the session of a refresh cookie, from any origin', async () => {
    const { username } = await seedAccount(a.database);
    const login = await rest.login({ username, password: 'Correct horse 42' }, { origin: new URL(a.url).origin });
    const [cookie] = login.cookies;
    expectEmpty(await revocation.post(`token=${cookie!.value}`, { origin: 'https://elsewhere.test' }));
    expect((await rest.me(login.body.accessToken)).status).toBe(401);
    expect((await rest.refresh(`${cookie!.name}=${cookie!.value}`)).status).toBe(401);
  });

  it('ends the session of a refresh token of Profile B', async () => {
    const { accessToken, refreshToken } = await seedTokens(a, user);
    expectEmpty(await tokenSender(b.url, REVOKE).anonymously(refreshToken, { token_type_hint: 'access_token' }));
    expect((await profileB(b.url).me(accessToken)).status).toBe(401);
    expect((await profileB(b.url).refresh(refreshToken)).body.error).toBe('AUTH_TOKEN_INVALID');
  });

  it.each(WAYS)('revokes a token of the client that authenticates %s, and no other token of it', async (way) => {
    const [one, two] = [await grant(), await grant()];
    expectEmpty(await revocation[way](one, client));
    expect((await rest.me(one)).status).toBe(401);
    expect((await rest.me(two)).status).toBe(200);
    expect((await recordsOf(client.account)).at(-1)).toMatchObject({ event: 'session.logged-out' });
  });

  it("does not revoke a machine client's token for another client, or without authentication", async () => {
    const token = await grant();
    const other = await seedClient(a.database);
    expectEmpty(await revocation.anonymously(token));
    expectEmpty(await revocation.anonymously(token, { client_id: client.id }));
    expectEmpty(await revocation.byForm(token, other));
    expect((await rest.me(token)).status).toBe(200);
  });

  it("audits the client that ended a user's session", async () => {
    const account = await seedAccount(a.database);
    const { accessToken, id: sessionId } = await seedSession(a, account);
    expectEmpty(await revocation.byBasic(accessToken, client));
    const [record] = await recordsOf(account);
    expect(record).toEqual({ event: 'session.logged-out', sessionId, actor: idToBytes(client.account.id) });
  });

  it('returns 200 for a revoked token, and audits nothing', async () => {
    const account = await seedAccount(a.database);
    const session = await seedSession(a, account);
    for (const token of [session.accessToken, session.accessToken, session.credential, session.credential])
      expectEmpty(await revocation.anonymously(token));
    expect(await recordsOf(account)).toHaveLength(1);
    const token = await grant();
    for (let i = 0; i < 2; i += 1) expectEmpty(await revocation.byForm(token, client));
  });

  it('returns 200 for unknown tokens, and changes nothing', async () => {
    const session = await seedSession(a, user);
    const forge = await tokenForge(a, user, session.id);
    const flipped = session.credential.startsWith('A') ? 'B' : 'A';
    const texts = [
      'garbage',
      'ä',
      '\0',
      ' ',
      'x'.repeat(50_000),
      forge.resigned(forge.claims()),
      forge.signed(forge.claims({ aud: 'another' })),
      flipped + session.credential.slice(1),
      `${session.accessToken} `,
      session.id,
    ];
    for (const text of texts) {
      expectEmpty(await revocation.anonymously(text));
      expectEmpty(await revocation.byForm(text, client));
    }
    expect((await rest.me(session.accessToken)).status).toBe(200);
    expect((await rest.refresh(session.cookie)).status).toBe(200);
  });

  it('returns 401 for wrong client authentication, and revokes nothing', async () => {
    const { accessToken } = await seedSession(a, user);
    const wrong = { ...client, secret: 'wrong' };
    expect(await revocation.byForm(accessToken, wrong)).toEqual(formError(401, 'invalid_client'));
    const byBasic = await revocation.byBasic(accessToken, wrong);
    expect(byBasic).toEqual(formError(401, 'invalid_client'));
    expect(byBasic.headers.get('www-authenticate')).toBe('Basic realm="my-shop"');
    expect(await revocation.byJson(accessToken, wrong)).toEqual(jsonError(401, 'invalid_client', undefined, REVOKE));
    expect(await revocation.anonymously(accessToken, { client_secret: 'x' })).toEqual(formError(401, 'invalid_client'));
    expect((await rest.me(accessToken)).status).toBe(200);
  });

  it('returns unsupported_token_type for API keys', async () => {
    const admin = await administrator(a);
    const { apiKey } = (await admin.issue(client.account)).body;
    expect(await revocation.anonymously(apiKey)).toEqual(formError(400, 'unsupported_token_type'));
    const byJson = await revocation.byJson(apiKey, client);
    expect(byJson).toEqual(jsonError(400, 'unsupported_token_type', undefined, REVOKE));
    expect((await meBy(a.url, apiKey)).status).toBe(200);
  });

  it.each(['', 'token=', 'token=a&token=b', 'token_type_hint=access_token'])('returns 400 for "%s"', async (body) => {
    expect(await revocation.post(body)).toEqual(formError(400, 'invalid_request'));
  });

  it.each(['GET', 'PUT', 'DELETE'])('returns 405 for %s', async (method) => {
    const { accessToken } = await seedSession(a, user);
    const response = await rest.send(method, `${REVOKE}?token=${accessToken}`);
    expect(response).toEqual(formError(405, 'invalid_request'));
    expect((await rest.me(accessToken)).status).toBe(200);
  });

  it('ends a session once for any number of parallel revocations', async () => {
    const account = await seedAccount(a.database);
    const { accessToken, credential, cookie } = await seedSession(a, account);
    const tokens = [accessToken, credential, accessToken, credential, accessToken, credential];
    for (const response of await Promise.all(tokens.map((token) => revocation.anonymously(token))))
      expectEmpty(response);
    expect((await rest.me(accessToken)).status).toBe(401);
    expect((await rest.refresh(cookie)).status).toBe(401);
  });
});

it('revocation returns 503 if a token cannot be checked, not 200', async () => {
  const deployment = await deploy({ engine: 'sqlite', transport: 'grpc' });
  try {
    const revocation = tokenSender(deployment.url, REVOKE);
    const session = await seedSession(deployment, await seedAccount(deployment.database));
    await deployment.core.close();
    for (const token of [session.accessToken, session.credential])
      expect(await revocation.anonymously(token)).toEqual(formError(503, 'temporarily_unavailable'));
  } finally {
    await deployment.close();
  }
});
