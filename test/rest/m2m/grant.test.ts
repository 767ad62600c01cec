// The client credentials grant from request to use.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientCredentialsServiceService } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { type Seed } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { leaksOf } from '../../support/leaks.ts';
import { restClient } from '../../support/rest-client.ts';
import { addSecret, expireSecrets, seedClient, tokenClient, type MachineClient, type TokenClient } from './clients.ts';
import { formError, isNotStored, jsonError } from './oauth-errors.ts';

const WAYS = ['byForm', 'byBasic', 'byJson'] as const;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let tokens: TokenClient;
  let client: MachineClient;

  beforeAll(async () => {
    deployment = await deploy(kind);
    tokens = tokenClient(deployment.url);
    client = await seedClient(deployment.database, { roles: ['MANAGER', 'FLORIST'], name: 'Sync' });
  });
  afterAll(() => deployment?.close());

  const audited = async (accountId: string) => {
    await deployment.core.flush();
    return deployment.database.query<{
      event: string;
      details: string;
      tenant_id: Uint8Array;
      client_address: string;
    }>('SELECT event, details, tenant_id, client_address FROM audit_records WHERE account_id = ? ORDER BY id', [
      idToBytes(accountId),
    ]);
  };

  const setTenantStatus = (id: string, status: string) =>
    deployment.database.execute('UPDATE tenants SET status = ? WHERE id = ?', [status, Buffer.from(id)]);

  it.each(WAYS)('returns the same body to %s', async (way) => {
    const response = await tokens[way](client);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 300 });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(isNotStored(response.headers)).toBe(true);
    expect(response.cookies).toEqual([]);
  });

  it('writes subject, client, tenant and lifetime to the token', async () => {
    const { access_token: token } = (await tokens.byForm(client)).body;
    const now = Math.floor(deployment.clock.now() / 1000);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    expect(decodeJwt(token)).toEqual({
      sub: client.account.id,
      client_id: client.id,
      tenantId: 'acme',
      roles: ['ROLE_MANAGER', 'ROLE_SALES', 'ROLE_ACCOUNTANT', 'ROLE_FLORIST'],
      iss: 'my-shop',
      aud: 'my-shop',
      iat: now,
      exp: now + 300,
      jti: expect.any(String),
    });
  });

  it('issues a token for /auth/me, and a logout revokes that token only', async () => {
    const rest = restClient(deployment.url);
    const [one, two] = await Promise.all([tokens.byForm(client), tokens.byForm(client)]);
    const me = await rest.me(one.body.access_token);
    expect(me.status).toBe(200);
    expect(me.body).toMatchObject({ id: client.account.id, username: client.id, name: 'Sync', tenantId: 'acme' });
    expect((await rest.logout({ accessToken: one.body.access_token })).status).toBe(200);
    expect((await rest.me(one.body.access_token)).status).toBe(401);
    expect((await rest.me(two.body.access_token)).status).toBe(200);
  });

  it('expires after its lifetime, and at once when the account is disabled', async () => {
    const rest = restClient(deployment.url);
    const stopped = await seedClient(deployment.database);
    const { access_token: token } = (await tokens.byJson(stopped)).body;
    expect((await rest.me(token)).status).toBe(200);
    await deployment.database.execute('UPDATE accounts SET disabled = 1 WHERE id = ?', [idToBytes(stopped.account.id)]);
    expect((await rest.me(token)).status).toBe(401);
    const other = (await tokens.byJson(client)).body.access_token;
    deployment.clock.advance(300_000);
    expect((await rest.me(other)).status).toBe(401);
  });

  it('finds a client id in any letter case and with any characters', async () => {
    const odd = await seedClient(deployment.database, { username: 'sync & co: 100%+ück' });
    for (const way of WAYS) expect((await tokens[way](odd)).status).toBe(200);
    expect((await tokens.byForm({ ...odd, id: 'SYNC & co: 100%+ÜCK' })).status).toBe(200);
  });

  it('accepts the same client_id in Basic and in the form, with any letter case of the scheme', async () => {
    const authorization = `bAsIc ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
    const body = `grant_type=client_credentials&client_id=${client.id}&scope=&unknown=1`;
    expect((await tokens.post(body, { authorization })).status).toBe(200);
  });

  it('ignores a Bearer header beside the credentials', async () => {
    expect((await tokens.byForm(client, { authorization: 'Bearer x' })).status).toBe(200);
    expect((await tokens.byJson(client, { authorization: 'Bearer x' })).status).toBe(200);
  });

  it('issues the same token over gRPC', async () => {
    const core = deployment.client(ClientCredentialsServiceService);
    const credentials = { clientId: client.id, clientSecret: client.secret };
    const { expiresIn } = await core.issueToken({ grantType: 'client_credentials', ...credentials });
    expect(expiresIn).toBe(300);
    await expect(core.issueToken({ grantType: 'client_credentials', basic: credentials, scope: 'a' })).rejects.toEqual(
      expect.objectContaining({ status: expect.objectContaining({ reason: 'INVALID_SCOPE' }) }),
    );
  });

  it('audits each grant with its secret, and each refusal with its reason', async () => {
    const watched = await seedClient(deployment.database);
    await tokens.byBasic(watched);
    await tokens.byForm({ ...watched, secret: 'wrong-secret' });
    await expireSecrets(deployment.database, watched.account, deployment.clock.now());
    await tokens.byJson(watched);
    const [secret] = await deployment.database.query<{ id: Uint8Array }>(
      'SELECT id FROM client_secrets WHERE account_id = ?',
      [idToBytes(watched.account.id)],
    );
    const records = await audited(watched.account.id);
    expect(records.map(({ event, details }) => [event, JSON.parse(details)])).toEqual([
      ['client.authenticated', { secretId: expect.any(String) }],
      ['client.authentication-failed', { reason: 'wrong-secret' }],
      ['client.authentication-failed', { reason: 'expired-secret' }],
    ]);
    expect(idToBytes(JSON.parse(records[0]!.details).secretId)).toEqual(Buffer.from(secret!.id));
    for (const record of records) {
      expect(Buffer.from(record.tenant_id).toString()).toBe('acme');
      expect(record.client_address).toBe('127.0.0.1');
      expect(leaksOf(record.details, [watched.secret])).toEqual([]);
    }
  });

  it('never locks a client, after any number of wrong secrets', async () => {
    const tried = await seedClient(deployment.database);
    for (let i = 0; i < 8; i += 1) expect((await tokens.byForm({ ...tried, secret: 'wrong' })).status).toBe(401);
    expect((await tokens.byForm(tried)).status).toBe(200);
  });

  describe('invalid_client', () => {
    const past = () => deployment.clock.now();
    const future = () => deployment.clock.now() + 60_000;
    const seeded = (seed: () => Seed) => async () => seedClient(deployment.database, seed());

    it.each<[what: string, make: () => Promise<Pick<MachineClient, 'id' | 'secret'>>, detail: string]>([
      ['an unknown client', async () => ({ id: 'nobody', secret: 'x' }), 'no account has this client id'],
      ['a client id of 10,000 characters', async () => ({ id: 'x'.repeat(10_000), secret: 'x' }), 'no account'],
      ['a client id of control characters', async () => ({ id: '\0\n', secret: 'x' }), 'no account'],
      ['a wrong secret', async () => ({ ...client, secret: `${client.secret}x` }), 'the client secret is wrong'],
      [
        'a secret of another client',
        async () => ({ ...(await seedClient(deployment.database)), id: client.id }),
        'wrong',
      ],
      ['a secret in another case', async () => ({ ...client, secret: client.secret.toLowerCase() }), 'wrong'],
      [
        'an expired secret',
        async () => {
          const expired = await seedClient(deployment.database);
          await expireSecrets(deployment.database, expired.account, past());
          return expired;
        },
        'the client secret has expired',
      ],
      ['an interactive account', seeded(() => ({ interactive: true })), 'the account is not a service account'],
      ['a disabled account', seeded(() => ({ disabled: true })), 'the account is disabled'],
      ['an expired account', seeded(() => ({ accountExpiresAt: past() })), 'the account has expired'],
      ['an account without a tenant', seeded(() => ({ tenantId: undefined })), 'the account has no tenant'],
      [
        'a locked account',
        async () => {
          const locked = await seedClient(deployment.database);
          const sql = 'UPDATE accounts SET locked_until = ? WHERE id = ?';
          await deployment.database.execute(sql, [future(), idToBytes(locked.account.id)]);
          return locked;
        },
        'the account is locked until',
      ],
      [
        'a suspended tenant',
        async () => {
          const suspended = await seedClient(deployment.database, { tenantId: 'suspended' });
          await setTenantStatus('suspended', 'SUSPENDED');
          return suspended;
        },
        'the tenant is suspended',
      ],
    ])('%s', async (_what, make, detail) => {
      const refused = await make();
      const description = expect.stringContaining(detail);
      const byForm = await tokens.byForm(refused);
      expect(byForm).toEqual(formError(401, 'invalid_client', description));
      expect(byForm).toEqual(formError(401, 'invalid_client'));
      expect(byForm.headers.get('www-authenticate')).toBeNull();
      const byBasic = await tokens.byBasic(refused);
      expect(byBasic).toEqual(formError(401, 'invalid_client', description));
      expect(byBasic.headers.get('www-authenticate')).toBe('Basic realm="my-shop"');
      const byJson = await tokens.byJson(refused);
      expect(byJson).toEqual(jsonError(401, 'invalid_client', description));
      expect(byJson.headers.get('www-authenticate')).toBeNull();
      for (const { text } of [byForm, byBasic, byJson]) {
        expect(leaksOf(text, refused.secret.length > 8 ? [refused.secret] : [])).toEqual([]);
      }
    });

    it('is no longer returned after the tenant is activated again', async () => {
      const back = await seedClient(deployment.database, { tenantId: 'paused' });
      await setTenantStatus('paused', 'SUSPENDED');
      expect((await tokens.byForm(back)).status).toBe(401);
      await setTenantStatus('paused', 'ACTIVE');
      expect((await tokens.byForm(back)).status).toBe(200);
    });
  });

  it('accepts either of two secrets, each until its expiry', async () => {
    const rotating = await seedClient(deployment.database);
    const end = deployment.clock.now() + 60_000;
    await expireSecrets(deployment.database, rotating.account, end);
    const next = { ...rotating, secret: await addSecret(deployment.database, rotating.account) };
    expect([(await tokens.byForm(rotating)).status, (await tokens.byForm(next)).status]).toEqual([200, 200]);
    deployment.clock.advance(60_000);
    expect([(await tokens.byForm(rotating)).status, (await tokens.byForm(next)).status]).toEqual([401, 200]);
  });

  it('accepts the live secret beside many expired ones', async () => {
    const old = await seedClient(deployment.database);
    for (let i = 0; i < 12; i += 1) await addSecret(deployment.database, old.account);
    await expireSecrets(deployment.database, old.account, deployment.clock.now());
    await deployment.database.execute(
      'UPDATE client_secrets SET expires_at = NULL WHERE account_id = ? AND secret_hash = ?',
      [idToBytes(old.account.id), await sha256(old.secret)],
    );
    expect((await tokens.byForm(old)).status).toBe(200);
  });
});

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}
