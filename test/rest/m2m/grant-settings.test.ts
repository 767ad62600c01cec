// The client credentials grant with other settings, with secrets in rotation, and beside the login of users.
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { ClientCredentialsServiceService } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { seedAccount } from '../../support/accounts.ts';
import { createTestDatabase, ENGINES } from '../../support/databases.ts';
import { deploy } from '../../support/deployment.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { addSecret, seedClient, tokenClient } from './clients.ts';
import { formError, jsonError } from './oauth-errors.ts';

const WAYS = ['byForm', 'byBasic', 'byJson'] as const;

describe.each(ENGINES)('%s', (engine) => {
  it('issues tokens without a tenant if tenants are not isolated', async () => {
    const deployment = await deploy({ engine, transport: 'local', settings: { 'app.tenancy.isolation': 'false' } });
    try {
      const client = await seedClient(deployment.database, { tenantId: undefined });
      const response = await tokenClient(deployment.url).byForm(client);
      expect(response.status).toBe(200);
      expect(decodeJwt(response.body.access_token)).not.toHaveProperty('tenantId');
      const me = await restClient(deployment.url).me(response.body.access_token);
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
      /** Every worker has sent so many requests from now on and has had their responses. */
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
      const response = await tokens[way](client);
      expect([response.status, Object.keys(response.body)]).toEqual([
        200,
        ['access_token', 'token_type', 'expires_in'],
      ]);
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
    const response = await tokenClient(deployment.url).byForm({ id: user.username, secret: 'Correct horse 42' });
    expect(response).toEqual(formError(401, 'invalid_client', expect.stringContaining('not a service account')));
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
