// Token introspection (RFC 7662): the returned claims, the visible tokens, and current results.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientCredentialsServiceService } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { RoleServiceService } from '../../../proto/gen/authservice/tenancy/v1/role_service.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { tokenForge } from '../../support/forged-tokens.ts';
import { restClient } from '../../support/rest-client.ts';
import { authorizedBy, seedSession, seedTokens } from '../../support/sessions.ts';
import { administrator, ENABLED } from '../api-key/api-keys.ts';
import {
  basic,
  INTROSPECT,
  seedClient,
  tokenClient,
  tokenSender,
  type MachineClient,
  type TokenSender,
} from './clients.ts';
import { formError, isNotStored, jsonError } from './oauth-errors.ts';

const WAYS = ['byForm', 'byBasic', 'byJson'] as const;
const INACTIVE = { active: false };
/** A role of the tenant with these permissions. */
const READER = { name: 'READER', permissions: ['READ_AUDIT', 'EXPLAIN_CREDENTIALS', 'invoices:read'], inherits: [] };
const SCOPE = READER.permissions.join(' ');

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let introspection: TokenSender;
  let client: MachineClient;
  let user: Account;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: ENABLED });
    introspection = tokenSender(deployment.url, INTROSPECT);
    client = await seedClient(deployment.database);
    user = await seedAccount(deployment.database, { roles: ['READER'] });
    const root = await seedAccount(deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const as = authorizedBy(await seedSession(deployment, root));
    await deployment.client(RoleServiceService).createRole({ ...READER, tenantId: 'acme' }, as);
  });
  afterAll(() => deployment?.close());

  const bodyOf = async (token: string, by: MachineClient = client) => {
    const response = await introspection.byForm(token, by);
    expect(response.status).toBe(200);
    return response.body;
  };
  const update = (column: string, value: unknown, { id }: Account) =>
    deployment.database.execute(`UPDATE accounts SET ${column} = ? WHERE id = ?`, [value as number, idToBytes(id)]);

  it.each(WAYS)("returns all claims of a user's token, requested %s", async (way) => {
    const { accessToken, id: sid } = await seedSession(deployment, user);
    const response = await introspection[way](accessToken, client);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(isNotStored(response.headers)).toBe(true);
    const { iat, exp, jti, auth_time: authTime } = decodeJwt(accessToken);
    expect(response.body).toEqual({
      active: true,
      sub: user.id,
      client_id: 'my-shop',
      username: user.username,
      tenantId: 'acme',
      roles: ['ROLE_READER'],
      scope: SCOPE,
      iss: 'my-shop',
      aud: 'my-shop',
      iat,
      exp,
      jti,
      sid,
      token_type: 'Bearer',
      auth_time: authTime,
      amr: ['pwd'],
      emailVerified: false,
    });
  });

  it("returns all claims of a machine client's token, also of its own", async () => {
    const machine = await seedClient(deployment.database, { roles: ['READER', 'SALES'] });
    const { access_token: token } = (await tokenClient(deployment.url).byForm(machine)).body;
    const { iat, exp, jti } = decodeJwt(token);
    expect(await bodyOf(token, machine)).toEqual({
      active: true,
      sub: machine.account.id,
      client_id: machine.id,
      username: machine.id,
      tenantId: 'acme',
      roles: ['ROLE_READER', 'ROLE_SALES'],
      scope: expect.stringMatching(/(?=.*\bREAD_AUDIT\b)(?=.*\binvoices:read$)/),
      iss: 'my-shop',
      aud: 'my-shop',
      iat,
      exp,
      jti,
      token_type: 'Bearer',
    });
  });

  it('returns account and expiry of an API key', async () => {
    const admin = await administrator(deployment);
    const holder = await seedAccount(deployment.database, { interactive: false, roles: ['READER'] });
    const endless = (await admin.issue(holder)).body;
    const expiresAt = new Date(deployment.clock.now() + 60_000).toISOString();
    const ending = (await admin.issue(holder, { label: 'ending', expiresAt })).body;
    const known = {
      active: true,
      sub: holder.id,
      client_id: holder.username,
      username: holder.username,
      tenantId: 'acme',
      roles: ['ROLE_READER'],
      scope: SCOPE,
      token_type: 'api_key',
    };
    expect(await bodyOf(endless.apiKey)).toEqual(known);
    expect(await bodyOf(ending.apiKey)).toEqual({ ...known, exp: Math.floor(Date.parse(expiresAt) / 1000) });
    await admin.revoke(holder, endless.keyId);
    expect(await bodyOf(endless.apiKey)).toEqual(INACTIVE);
    deployment.clock.advance(60_000);
    expect(await bodyOf(ending.apiKey)).toEqual(INACTIVE);
  });

  describe('is current', () => {
    it.each<[what: string, stop: (account: Account, accessToken: string) => Promise<unknown>]>([
      ['a logout', (_account, accessToken) => restClient(deployment.url).logout({ accessToken })],
      ['a disabled account', (account) => update('disabled', 1, account)],
      ['an expired account', (account) => update('account_expires_at', deployment.clock.now(), account)],
      ['the end of the token', async () => deployment.clock.advance(900_000)],
      [
        'a deleted account',
        ({ id }) => deployment.database.execute('DELETE FROM accounts WHERE id = ?', [idToBytes(id)]),
      ],
    ])('%s changes the next introspection', async (_what, stop) => {
      const account = await seedAccount(deployment.database);
      const { accessToken } = await seedSession(deployment, account);
      expect(await bodyOf(accessToken)).toMatchObject({ active: true });
      await stop(account, accessToken);
      expect(await bodyOf(accessToken)).toEqual(INACTIVE);
    });

    it('returns the current roles of the account', async () => {
      const account = await seedAccount(deployment.database, { roles: ['SALES'] });
      const { accessToken } = await seedSession(deployment, account);
      await update('roles', 'READER', account);
      expect(await bodyOf(accessToken)).toMatchObject({ roles: ['ROLE_READER'], scope: SCOPE });
    });
  });

  it('returns the same inactive response for every text that is not a token of the tenant', async () => {
    const root = await seedAccount(deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const foreign = await seedAccount(deployment.database, { tenantId: 'globex' });
    const foreignClient = await seedClient(deployment.database, { tenantId: 'globex' });
    const cookieSession = await seedSession(deployment, user);
    const bodySession = await seedTokens(deployment, user);
    const forge = await tokenForge(deployment, user, cookieSession.id);
    const tokens = [
      (await seedSession(deployment, foreign)).accessToken,
      (await seedSession(deployment, root)).accessToken,
      (await tokenClient(deployment.url).byForm(foreignClient)).body.access_token,
      cookieSession.credential,
      bodySession.refreshToken,
      forge.resigned(forge.claims()),
      forge.signed(forge.claims({ aud: 'another' })),
      `${cookieSession.accessToken} `,
      ` ${cookieSession.accessToken}`,
      `${cookieSession.accessToken}x`,
      client.secret,
      'garbage',
      'ä',
      '\0',
      'x'.repeat(50_000),
    ];
    for (const token of tokens) expect((await introspection.byBasic(token, client)).text).toBe('{"active":false}');
    expect(await bodyOf(tokens[0], foreignClient)).toMatchObject({
      active: true,
      sub: foreign.id,
      tenantId: 'globex',
    });
  });

  it('ignores token_type_hint and unknown parameters', async () => {
    const { accessToken } = await seedSession(deployment, user);
    for (const hint of ['refresh_token', 'access_token', '', 'x'.repeat(5_000)]) {
      const body = new URLSearchParams({ token: accessToken, token_type_hint: hint, unknown: '1' }).toString();
      const response = await introspection.post(body, { authorization: basic(client) });
      expect(response.body).toMatchObject({ active: true });
    }
  });

  it('returns 401 without valid client authentication', async () => {
    const { accessToken } = await seedSession(deployment, user);
    const wrong = { ...client, secret: 'wrong' };
    expect(await introspection.anonymously(accessToken)).toEqual(formError(401, 'invalid_client'));
    expect(await introspection.anonymously(accessToken, { client_id: client.id })).toEqual(
      formError(401, 'invalid_client'),
    );
    const bearer = { authorization: `Bearer ${accessToken}` };
    expect(await introspection.post(`token=${accessToken}`, bearer)).toEqual(formError(401, 'invalid_client'));
    expect(await introspection.byForm(accessToken, wrong)).toEqual(formError(401, 'invalid_client'));
    const byBasic = await introspection.byBasic(accessToken, wrong);
    expect(byBasic).toEqual(formError(401, 'invalid_client'));
    expect(byBasic.headers.get('www-authenticate')).toBe('Basic realm="my-shop"');
    const byJson = await introspection.byJson(accessToken, wrong);
    expect(byJson).toEqual(jsonError(401, 'invalid_client', undefined, INTROSPECT));
    const interactive = { id: user.username, secret: 'Correct horse 42' };
    expect(await introspection.byForm(accessToken, interactive)).toEqual(formError(401, 'invalid_client'));
  });

  it.each<[what: string, body: string]>([
    ['no token', ''],
    ['an empty token', 'token='],
    ['a token twice', 'token=a&token=a'],
    ['a secret beside Basic', 'token=a&client_secret=x'],
    ['another client id beside Basic', 'token=a&client_id=x'],
  ])('returns 400 for %s', async (_what, body) => {
    const response = await introspection.post(body, { authorization: basic(client) });
    expect(response).toEqual(formError(400, 'invalid_request'));
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('returns 405 for %s', async (method) => {
    const response = await restClient(deployment.url).send(method, `${INTROSPECT}?token=x`);
    expect(response).toEqual(formError(405, 'invalid_request'));
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
  });

  it('audits each introspecting client once a minute, and each refusal', async () => {
    const watched = await seedClient(deployment.database);
    const wrong = { ...watched, secret: 'wrong' };
    for (let i = 0; i < 3; i += 1) await introspection.byForm('garbage', watched);
    await introspection.byForm('garbage', wrong);
    await introspection.byForm('garbage', wrong);
    deployment.clock.advance(60_000);
    await introspection.byBasic('garbage', watched);
    await deployment.core.flush();
    const records = await deployment.database.query<{ event: string }>(
      'SELECT event FROM audit_records WHERE account_id = ? ORDER BY id',
      [idToBytes(watched.account.id)],
    );
    expect(records.map(({ event }) => event)).toEqual([
      'client.authenticated',
      'client.authentication-failed',
      'client.authentication-failed',
      'client.authenticated',
    ]);
  });

  it('returns the same over gRPC', async () => {
    const core = deployment.client(ClientCredentialsServiceService);
    const credentials = { clientId: client.id, clientSecret: client.secret };
    const { accessToken, id } = await seedSession(deployment, user);
    expect(await core.introspectToken({ token: accessToken, ...credentials })).toMatchObject({
      active: true,
      sub: user.id,
      sessionId: id,
      tokenType: 'Bearer',
    });
    const long = 'x'.repeat(200_000);
    expect(await core.introspectToken({ token: long, basic: credentials })).toEqual({
      ...INACTIVE,
      roles: [],
      amr: [],
    });
    await expect(core.introspectToken({ token: accessToken })).rejects.toMatchObject({
      status: { reason: 'INVALID_CLIENT' },
    });
  });
});
