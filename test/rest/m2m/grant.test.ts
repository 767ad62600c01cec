// The client credentials grant from request to use, on every deployment.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientCredentialsServiceService } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { idToBytes } from '../../../src/db/ids.ts';
import { seedAccount, type Seed } from '../../support/accounts.ts';
import { createTestDatabase, ENGINES } from '../../support/databases.ts';
import { deploy, DEPLOYMENTS, type Deployment } from '../../support/deployment.ts';
import { leaksOf } from '../../support/leaks.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { addSecret, expireSecrets, seedClient, tokenClient, type MachineClient, type TokenClient } from './clients.ts';
import { formError, isNotStored, jsonError } from './oauth-errors.ts';

const WAYS = ['byForm', 'byBasic', 'byJson'] as const;

describe.each(DEPLOYMENTS)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let tokens: TokenClient;
  let client: MachineClient;

  beforeAll(async () => {
    deployment = await deploy(kind);
    tokens = tokenClient(deployment.url);
    client = await seedClient(deployment.database, { roles: ['MANAGER', 'FLORIST'], name: 'Sync' });
  });
  afterAll(() => deployment?.close());

  const audited = (accountId: string) =>
    deployment.database.query<{ event: string; details: string; tenant_id: Uint8Array; client_address: string }>(
      'SELECT event, details, tenant_id, client_address FROM audit_records WHERE account_id = ? ORDER BY id',
      [idToBytes(accountId)],
    );

  const setTenantStatus = (id: string, status: string) =>
    deployment.database.execute('UPDATE tenants SET status = ? WHERE id = ?', [status, Buffer.from(id)]);

  it.each(WAYS)('returns the same body to %s', async (way) => {
    const answer = await tokens[way](client);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 300 });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(isNotStored(answer.headers)).toBe(true);
    expect(answer.cookies).toEqual([]);
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
      const told = expect.stringContaining(detail);
      const byForm = await tokens.byForm(refused);
      expect(byForm).toEqual(formError(401, 'invalid_client', told));
      expect(byForm).toEqual(formError(401, 'invalid_client'));
      expect(byForm.headers.get('www-authenticate')).toBeNull();
      const byBasic = await tokens.byBasic(refused);
      expect(byBasic).toEqual(formError(401, 'invalid_client', told));
      expect(byBasic.headers.get('www-authenticate')).toBe('Basic realm="my-shop"');
      const byJson = await tokens.byJson(refused);
      expect(byJson).toEqual(jsonError(401, 'invalid_client', told));
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

describe.each(ENGINES)('%s', (engine) => {
  it('issues tokens without a tenant if tenants are not isolated', async () => {
    const deployment = await deploy({ engine, transport: 'local', settings: { 'app.tenancy.isolation': 'false' } });
    try {
      const client = await seedClient(deployment.database, { tenantId: undefined });
      const answer = await tokenClient(deployment.url).byForm(client);
      expect(answer.status).toBe(200);
      expect(decodeJwt(answer.body.access_token)).not.toHaveProperty('tenantId');
      const me = await restClient(deployment.url).me(answer.body.access_token);
      expect([me.status, me.body.tenantId]).toEqual([200, undefined]);
    } finally {
      await deployment.close();
    }
  });

  it('stores when each secret was last used, without setting it back', async () => {
    const shared = await createTestDatabase(engine);
    const deployment = await deploy({ engine, transport: 'local', databaseUrl: shared.url });
    const client = await seedClient(shared.database);
    const unused = await addSecret(shared.database, client.account);
    const ahead = await seedClient(shared.database);
    const later = deployment.clock.now() + 99_000;
    await shared.database.execute('UPDATE client_secrets SET last_used_at = ? WHERE account_id = ?', [
      later,
      idToBytes(ahead.account.id),
    ]);
    const tokens = tokenClient(deployment.url);
    await tokens.byForm(client);
    deployment.clock.advance(7_000);
    await tokens.byBasic(client);
    await tokens.byBasic(ahead);
    await tokens.byForm({ ...client, secret: `${client.secret}x` });
    const lastUse = async (secret: string) => {
      const sql = 'SELECT last_used_at FROM client_secrets WHERE secret_hash = ?';
      const [row] = await shared.database.query<{ last_used_at: number | null }>(sql, [await sha256(secret)]);
      return row!.last_used_at;
    };
    const expected = deployment.clock.now();
    await deployment.close();
    expect(await Promise.all([client.secret, unused, ahead.secret].map(lastUse))).toEqual([expected, null, later]);
    await shared.drop();
  });

  it('fails no request while a secret is rotated under load', async () => {
    const deployment = await deploy({ engine, transport: 'grpc' });
    try {
      const tokens = tokenClient(deployment.url);
      const admin = await seedSession(deployment, await seedAccount(deployment.database, { roles: ['ADMIN'] }));
      const asAdmin = { authorization: [`Bearer ${admin.accessToken}`] };
      const core = deployment.client(ClientCredentialsServiceService);
      const created = await core.createServiceAccount(
        { clientId: 'rotating', name: 'Rotating', roles: ['MANAGER'] },
        asAdmin,
      );
      const { id: serviceAccountId, secrets } = created.serviceAccount!;
      const first = { id: 'rotating', secret: created.clientSecret };
      let live = [first];
      let running = true;
      const statuses: number[][] = Array.from({ length: 6 }, () => []);
      const workers = statuses.map(async (own, index) => {
        for (let round = index; running; round += 1) {
          const used = live[round % live.length]!;
          own.push((await tokens[WAYS[round % WAYS.length]!](used)).status);
        }
      });
      /** Every worker has sent so many requests from now on and has had their answers. */
      const answered = async (count: number) => {
        const until = statuses.map((own) => own.length + 1 + count);
        while (statuses.some((own, index) => own.length < until[index]!)) await new Promise(setImmediate);
      };
      await answered(5);
      const second = { ...first, secret: (await core.createClientSecret({ serviceAccountId }, asAdmin)).clientSecret };
      live = [first, second];
      await answered(10);
      live = [second];
      await answered(5);
      await core.expireClientSecret({ serviceAccountId, secretId: secrets[0]!.id }, asAdmin);
      await answered(5);
      running = false;
      await Promise.all(workers);
      expect(statuses.flat().filter((status) => status !== 200)).toEqual([]);
      expect((await tokens.byForm(first)).status).toBe(401);
      expect((await tokens.byForm(second)).status).toBe(200);
    } finally {
      await deployment.close();
    }
  });
});

it('issues the same token at a gateway with profile B', async () => {
  const settings = { 'app.security.auth-profile': 'B' };
  const deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
  try {
    const client = await seedClient(deployment.database);
    const tokens = tokenClient(deployment.url);
    for (const way of WAYS) {
      const answer = await tokens[way](client);
      expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['access_token', 'token_type', 'expires_in']]);
      const wrong = await tokens[way]({ ...client, secret: 'wrong' });
      expect(wrong).toEqual(way === 'byJson' ? jsonError(401, 'invalid_client') : formError(401, 'invalid_client'));
    }
    const form = await restClient(deployment.url).send('GET', '/api/v1/auth/token');
    expect(form).toEqual(formError(405, 'invalid_request'));
  } finally {
    await deployment.close();
  }
});

it('rejects the password of a user here, and the secret of a client at the login', async () => {
  const deployment = await deploy({ engine: 'sqlite', transport: 'local' });
  try {
    const user = await seedAccount(deployment.database);
    const answer = await tokenClient(deployment.url).byForm({ id: user.username, secret: 'Correct horse 42' });
    expect(answer).toEqual(formError(401, 'invalid_client', expect.stringContaining('not a service account')));
    const client = await seedClient(deployment.database);
    const login = await restClient(deployment.url).login({ username: client.id, password: client.secret });
    expect([login.status, login.body.errorCode]).toEqual([401, 'login-policy-rejected']);
  } finally {
    await deployment.close();
  }
});

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}
