// app.tenancy.isolation: service accounts without a tenant work if it is off, and never if it is on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import type { CallOptions } from '../../../src/platform/rpc/types.ts';
import { createTestDatabase } from '../../support/databases.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { seedAccount } from '../../support/accounts.ts';
import { seedSession } from '../../support/sessions.ts';
import { tokenClient } from './clients.ts';
import { mailFolder } from '../../support/mails.ts';
import { ADMINISTRATION, EVERYBODY, missingRecords } from '../../rpc/admin/rpcs.ts';
import { clientsOf, type Clients } from '../../support/world.ts';
import { outcomeOf, refusal, violationsOf } from '../../support/rpc-outcomes.ts';
import { IS_SHOP_SERVED, SHOP_PACKAGE } from '../../support/shop-served.ts';

describe.each(ON_SQLITE)('$engine', ({ engine }) => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let open: Deployment;
  let isolated: Deployment;
  let clients: Clients;
  let root: CallOptions;

  beforeAll(async () => {
    database = await createTestDatabase(engine);
    const deployWith = (isolation: string) =>
      deploy({
        engine,
        transport: 'local',
        databaseUrl: database.url,
        settings: {
          ...mailFolder().settings,
          'app.security.api-key.enabled': 'true',
          'app.tenancy.isolation': isolation,
        },
      });
    open = await deployWith('false');
    isolated = await deployWith('true');
    clients = clientsOf(open);
    root = await actor({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
  });
  afterAll(async () => {
    await open?.close();
    await isolated?.close();
    await database?.drop();
  });

  async function actor(seed: Parameters<typeof seedAccount>[1]): Promise<CallOptions> {
    const session = await seedSession(open, await seedAccount(database.database, seed));
    return { authorization: [`Bearer ${session.accessToken}`] };
  }

  const request = (...roles: string[]) => ({ clientId: `client-${newId()}`, name: 'Sync', roles });

  async function create(...roles: string[]) {
    const { serviceAccount, clientSecret } = await clients.clientCredentials.createServiceAccount(
      request(...roles),
      root,
    );
    const { id: serviceAccountId, clientId } = serviceAccount!;
    const { apiKey } = await clients.apiKey.issueApiKey({ serviceAccountId, label: 'Key' }, root);
    const client = { id: clientId, secret: clientSecret };
    const response = await tokenClient(open.url).byForm(client);
    expect(response.status).toBe(200);
    return {
      serviceAccount: serviceAccount!,
      serviceAccountId,
      client,
      apiKey,
      token: response.body.access_token as string,
    };
  }

  const me = async ({ url }: Deployment, headers: Record<string, string>) => {
    const { status, body } = await restClient(url).send('GET', '/api/v1/auth/me', { headers });
    return [status, body.detail];
  };

  it('a SUPER_ADMIN creates one without a tenant, lists it, gives it secrets and keys, and disables it', async () => {
    const { serviceAccount, serviceAccountId, client, apiKey, token } = await create('MANAGER');
    expect(serviceAccount.tenantId).toBeUndefined();
    const { serviceAccounts } = await clients.clientCredentials.listServiceAccounts({ query: client.id }, root);
    expect(serviceAccounts.map(({ id }) => id)).toEqual([serviceAccountId]);
    const second = await clients.clientCredentials.createClientSecret({ serviceAccountId }, root);
    const rotated = await tokenClient(open.url).byForm({ ...client, secret: second.clientSecret });
    expect(rotated.status).toBe(200);
    expect(await me(open, { 'x-api-key': apiKey })).toEqual([200, undefined]);
    expect(await me(open, bearer(token))).toEqual([200, undefined]);

    await clients.clientCredentials.disableServiceAccount({ serviceAccountId }, root);
    expect((await tokenClient(open.url).byForm(client)).status).toBe(401);
    expect((await me(open, { 'x-api-key': apiKey }))[0]).toBe(401);
    expect((await me(open, bearer(token)))[0]).toBe(401);
  });

  it('an administrator of a tenant creates one in its own tenant only', async () => {
    const admin = await actor({ tenantId: 'acme', roles: ['ADMIN'] });
    const { serviceAccount } = await clients.clientCredentials.createServiceAccount(request('SALES'), admin);
    expect(serviceAccount!.tenantId).toBe('acme');
    const superRole = clients.clientCredentials.createServiceAccount(request('SUPER_ADMIN'), admin);
    expect(await outcomeOf(superRole)).toBe('PERMISSION_DENIED');
  });

  it('a user without a tenant must be a SUPER_ADMIN', async () => {
    const user = {
      username: `user-${newId()}@x.test`,
      password: 'A long enough password',
      name: 'User',
      roles: ['SALES'],
    };
    expect(await violationsOf(clients.identity.createUser(user, root))).toEqual(['roles: role']);
  });

  it('cannot be created, and cannot get or use a secret, a token or an API key, if tenants are isolated', async () => {
    const { serviceAccountId, client, apiKey, token } = await create('SUPER_ADMIN');
    const { clientCredentials, apiKey: apiKeys } = clientsOf(isolated);
    const issues = [
      () => clientCredentials.createClientSecret({ serviceAccountId }, root),
      () => apiKeys.issueApiKey({ serviceAccountId, label: 'Key' }, root),
    ];
    for (const issue of issues)
      expect(await refusal(issue())).toMatchObject({
        reason: 'CONFLICT',
        message: 'The service account has no tenant, and app.tenancy.isolation is true',
      });
    const created = clientsOf(isolated).clientCredentials.createServiceAccount(request('MANAGER'), root);
    expect(await violationsOf(created)).toEqual(['tenantId: required']);
    expect(await tokenClient(isolated.url).byForm(client)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client', error_description: expect.stringContaining('the account has no tenant') },
    });
    const refused = [401, 'Unauthorized - Invalid or expired token'];
    expect(await me(isolated, bearer(token))).toEqual(refused);
    expect(await me(isolated, { 'x-api-key': apiKey })).toEqual(refused);
    expect(await me(open, bearer(token))).toEqual([200, undefined]);
    expect(await outcomeOf(clientsOf(isolated).identity.getMe({}, root))).toBe('OK');
    const [why] = (
      await clientsOf(isolated).identity.explainCredential({ credential: { $case: 'apiKey', value: apiKey } }, root)
    ).checks.filter(({ passed }) => !passed);
    expect(why!.detail).toBe('the account has no tenant');
    const explained = await clientsOf(isolated).identity.explainCredential(
      { credential: { $case: 'bearerToken', value: token } },
      root,
    );
    expect(explained.checks.filter(({ passed }) => !passed).map(({ detail }) => detail)).toEqual([
      'the account has no tenant',
    ]);
  });

  it.each(['ADMIN', 'SUPER_ADMIN'])('%s: cannot call an operation that requires a tenant', async (role) => {
    const { apiKey, token } = await create(role);
    // All of them are of the shop.
    const { body: document } = await restClient(open.url).send('GET', '/openapi.json');
    const ofTenant = Object.entries<{ get?: { 'x-rpc'?: string } }>(document.paths).flatMap(([path, { get }]) =>
      get?.['x-rpc']?.startsWith(SHOP_PACKAGE) && !path.includes('{') ? [path] : [],
    );
    expect(ofTenant.length > 8).toBe(IS_SHOP_SERVED);
    for (const headers of [bearer(token), { 'x-api-key': apiKey }]) {
      for (const path of ofTenant) {
        const { status, body } = await restClient(open.url).send('GET', path, { headers });
        expect([path, status, body.errorCode]).toEqual([path, 403, 'permission-denied']);
      }
    }
    const as = { authorization: [`Bearer ${token}`] };
    const outcomes = new Map<string, string>();
    for (const [rpc, call] of Object.entries(ADMINISTRATION))
      if (!EVERYBODY.has(rpc)) outcomes.set(rpc, await outcomeOf(call(clients, missingRecords(), as)));
    const denied = [...outcomes.values()].filter((outcome) => outcome === 'PERMISSION_DENIED');
    expect(denied).toHaveLength(role === 'ADMIN' ? outcomes.size : 0);
    // The role is checked before the request.
    const turned = { events: [], from: new Date(2_000), until: new Date(1_999) };
    const expected = role === 'ADMIN' ? 'PERMISSION_DENIED' : 'VALIDATION_ERROR';
    expect(await outcomeOf(clients.audit.listAuditRecords(turned, as))).toBe(expected);
    const verify = await restClient(open.url).send('GET', '/api/v1/auth/verify?permission=READ_AUDIT', {
      headers: bearer(token),
    });
    expect(verify.status).toBe(role === 'ADMIN' ? 403 : 200);
  });

  it('does not count as an active SUPER_ADMIN, and can be changed without one', async () => {
    const machine = await create('SUPER_ADMIN');
    const as = { authorization: [`Bearer ${machine.token}`] };
    const { users } = await clients.identity.listUsers({ role: 'SUPER_ADMIN' }, root);
    expect(users.map(({ account }) => account!.id)).not.toContain(machine.serviceAccountId);
    const outcomes: string[] = [];
    for (const { account } of users)
      outcomes.push(await outcomeOf(clients.identity.disableUser({ userId: account!.id }, as)));
    expect(outcomes.toSorted()).toEqual(['CONFLICT', ...Array<string>(users.length - 1).fill('OK')]);

    // A deployment that has only ever had machines without a tenant.
    await database.database.execute('UPDATE accounts SET disabled = 1 WHERE tenant_id = ? AND interactive = 1', [
      Buffer.alloc(0),
    ]);
    const other = await createAs(as);
    expect(await outcomeOf(clients.clientCredentials.createClientSecret({ serviceAccountId: other }, as))).toBe('OK');
    expect(await outcomeOf(clients.clientCredentials.disableServiceAccount({ serviceAccountId: other }, as))).toBe(
      'OK',
    );
  });

  async function createAs(as: CallOptions): Promise<string> {
    return (await clients.clientCredentials.createServiceAccount(request('SALES'), as)).serviceAccount!.id;
  }
});
