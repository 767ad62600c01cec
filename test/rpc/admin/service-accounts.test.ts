import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openWorld, type Actor, type Clients, type World } from '../../support/world.ts';
import { newRoleName } from './rpcs.ts';
import { outcomeOf, violationsOf } from '../../support/rpc-outcomes.ts';

const HOUR = 3_600_000;

describe.each(DIAGONAL)('$engine, $transport', ({ engine, transport }) => {
  let world: World;
  let clients: Clients['clientCredentials'];
  let admin: Actor;

  beforeAll(async () => {
    world = await openWorld({ engine, transport, settings: { 'app.security.api-key.enabled': 'true' } });
    clients = world.clients.clientCredentials;
  });
  afterAll(() => world?.close());
  // Tests move the clock, and tokens do not last.
  beforeEach(async () => {
    admin = await world.actor({ roles: ['ADMIN'] });
  });

  const request = () => ({ clientId: `client-${newId()}`, name: 'Sync', roles: ['SALES', 'FLORIST'] });
  const create = async () => {
    const { serviceAccount, clientSecret } = await clients.createServiceAccount(request(), admin.as);
    return { serviceAccount: serviceAccount!, clientSecret, serviceAccountId: serviceAccount!.id };
  };
  const secretsOf = async (serviceAccountId: string) =>
    (await clients.getServiceAccount({ serviceAccountId }, admin.as)).serviceAccount!.secrets.map(({ id }) => id);
  const works = (clientId: string, clientSecret: string) =>
    outcomeOf(clients.issueToken({ grantType: 'client_credentials', clientId, clientSecret }));

  it('creates one with a first secret, which is stored as a hash only', async () => {
    const wanted = request();
    const { serviceAccount, clientSecret } = await clients.createServiceAccount(
      { ...wanted, clientId: ` ${wanted.clientId.toUpperCase()} ` },
      admin.as,
    );
    const createdAt = new Date(world.deployment.clock.now());
    expect(serviceAccount).toEqual({
      ...wanted,
      id: expect.any(String),
      tenantId: 'acme',
      disabled: false,
      createdAt,
      secrets: [{ id: expect.any(String), createdAt }],
    });
    expect(clientSecret).toMatch(/^[\w-]{43}$/);
    const [row] = await world.deployment.database.query<{ secret_hash: Uint8Array }>(
      'SELECT secret_hash FROM client_secrets WHERE account_id = ?',
      [Buffer.from(serviceAccount!.id.replaceAll('-', ''), 'hex')],
    );
    expect(Buffer.from(row!.secret_hash)).toEqual(createHash('sha256').update(clientSecret).digest());
    expect(await works(wanted.clientId, clientSecret)).toBe('OK');
  });

  it('rejects invalid values, existing usernames and roles that the caller cannot grant', async () => {
    const wanted = request();
    await clients.createServiceAccount(wanted, admin.as);
    const other = await world.actor({ tenantId: 'globex', roles: ['ADMIN'] });
    expect(await outcomeOf(clients.createServiceAccount(wanted, other.as))).toBe('CONFLICT');
    const root = await world.actor({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
    expect(await violationsOf(clients.createServiceAccount({ clientId: '', name: '', roles: [] }, root.as))).toEqual([
      'clientId: length',
      'name: length',
      'roles: required',
      'tenantId: required',
    ]);
    const superRole = { ...request(), roles: ['SUPER_ADMIN'] };
    expect(await outcomeOf(clients.createServiceAccount(superRole, admin.as))).toBe('PERMISSION_DENIED');
    expect(await violationsOf(clients.createServiceAccount({ ...superRole, tenantId: 'acme' }, root.as))).toEqual([
      'roles: role',
    ]);
    const missing = clients.createServiceAccount({ ...request(), tenantId: 'missing' }, root.as);
    expect(await violationsOf(missing)).toEqual(['tenantId: tenant']);
    expect(await outcomeOf(clients.createServiceAccount({ ...request(), tenantId: 'acme' }, root.as))).toBe('OK');
  });

  it('adds a second live secret, but never a third', async () => {
    const { serviceAccount, serviceAccountId, clientSecret } = await create();
    const [first] = serviceAccount.secrets;
    const second = await clients.createClientSecret({ serviceAccountId }, admin.as);
    expect(await secretsOf(serviceAccountId)).toEqual([second.secret!.id, first!.id]);
    expect(await works(serviceAccount.clientId, clientSecret)).toBe('OK');
    expect(await works(serviceAccount.clientId, second.clientSecret)).toBe('OK');
    expect(await outcomeOf(clients.createClientSecret({ serviceAccountId }, admin.as))).toBe('CONFLICT');

    const ended = await clients.expireClientSecret({ serviceAccountId, secretId: first!.id }, admin.as);
    expect(ended.secret).toEqual({
      ...first,
      expiresAt: new Date(world.deployment.clock.now()),
      lastUsedAt: undefined,
    });
    expect(await works(serviceAccount.clientId, clientSecret)).toBe('INVALID_CLIENT');
    expect(await works(serviceAccount.clientId, second.clientSecret)).toBe('OK');
    expect(await secretsOf(serviceAccountId)).toEqual([second.secret!.id]);
    const again = clients.expireClientSecret({ serviceAccountId, secretId: first!.id }, admin.as);
    expect(await outcomeOf(again)).toBe('NOT_FOUND');
    expect(await outcomeOf(clients.createClientSecret({ serviceAccountId }, admin.as))).toBe('OK');
  });

  it('exactly one of parallel calls adds the second secret', async () => {
    const { serviceAccountId } = await create();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => outcomeOf(clients.createClientSecret({ serviceAccountId }, admin.as))),
    );
    expect(outcomes.toSorted()).toEqual([...Array<string>(7).fill('CONFLICT'), 'OK']);
    expect(await secretsOf(serviceAccountId)).toHaveLength(2);
  });

  it('expires a secret in the future, but not in the past', async () => {
    const { serviceAccount, serviceAccountId, clientSecret } = await create();
    const secretId = serviceAccount.secrets[0]!.id;
    const now = world.deployment.clock.now();
    const expire = (expiresAt: Date) => clients.expireClientSecret({ serviceAccountId, secretId, expiresAt }, admin.as);
    expect(await violationsOf(expire(new Date(now)))).toEqual(['expiresAt: future']);
    expect(
      await violationsOf(clients.createClientSecret({ serviceAccountId, expiresAt: new Date(now) }, admin.as)),
    ).toEqual(['expiresAt: future']);
    const end = new Date(now + HOUR);
    expect((await expire(end)).secret).toMatchObject({ id: secretId, expiresAt: end });
    const later = await clients.createClientSecret({ serviceAccountId, expiresAt: new Date(now + 2 * HOUR) }, admin.as);
    expect(await works(serviceAccount.clientId, clientSecret)).toBe('OK');
    world.deployment.clock.advance(HOUR);
    admin = await world.actor({ roles: ['ADMIN'] });
    expect(await works(serviceAccount.clientId, clientSecret)).toBe('INVALID_CLIENT');
    expect(await works(serviceAccount.clientId, later.clientSecret)).toBe('OK');
    expect(await secretsOf(serviceAccountId)).toEqual([later.secret!.id]);
    expect(await outcomeOf(expire(end))).toBe('NOT_FOUND');
  });

  it('disabling rejects secrets, tokens and keys at once, and enabling accepts them again', async () => {
    const { serviceAccount, serviceAccountId, clientSecret } = await create();
    const grant = { grantType: 'client_credentials', clientId: serviceAccount.clientId, clientSecret };
    const { accessToken } = await clients.issueToken(grant);
    const token = { authorization: [`Bearer ${accessToken}`] };
    const { serviceAccount: disabled } = await clients.disableServiceAccount({ serviceAccountId }, admin.as);
    expect(disabled).toMatchObject({ disabled: true, secrets: [{ id: serviceAccount.secrets[0]!.id }] });
    expect(await outcomeOf(world.clients.identity.getMe({}, token))).toBe('TOKEN_INVALID');
    expect(await outcomeOf(clients.issueToken(grant))).toBe('INVALID_CLIENT');
    expect((await clients.enableServiceAccount({ serviceAccountId }, admin.as)).serviceAccount!.disabled).toBe(false);
    expect(await outcomeOf(world.clients.identity.getMe({}, token))).toBe('OK');
    expect(await outcomeOf(clients.issueToken(grant))).toBe('OK');
  });

  it('new roles are in force at once, for its tokens and API keys, too', async () => {
    const { serviceAccount, serviceAccountId, clientSecret } = await create();
    const { accessToken } = await clients.issueToken({
      grantType: 'client_credentials',
      clientId: serviceAccount.clientId,
      clientSecret,
    });
    const { apiKey } = await world.clients.apiKey.issueApiKey({ serviceAccountId, label: 'x' }, admin.as);
    const update = (roles: string[], as = admin.as) =>
      clients.updateServiceAccount({ serviceAccountId, serviceAccount: { roles }, updateMask: ['roles'] }, as);
    const rolesNow = async () =>
      Promise.all(
        [{ authorization: [`Bearer ${accessToken}`] }, { apiKey: [apiKey] }].map(
          async (as) => (await world.clients.identity.getMe({}, as)).account!.roles,
        ),
      );
    expect((await update(['DELIVERY'])).serviceAccount).toMatchObject({ roles: ['DELIVERY'], name: 'Sync' });
    expect(await rolesNow()).toEqual([['ROLE_DELIVERY'], ['ROLE_DELIVERY']]);
    const changes = async () =>
      (
        await world.clients.audit.listAuditRecords(
          { accountId: serviceAccountId, events: ['account.roles-changed'] },
          admin.as,
        )
      ).records.map(({ details }) => JSON.parse(details));
    const change = { from: 'SALES,FLORIST', to: 'DELIVERY' };
    expect(await changes()).toEqual([change]);
    // Nothing changes.
    await update(['DELIVERY']);
    expect(await changes()).toHaveLength(1);
    expect(await violationsOf(update([]))).toEqual(['roles: required']);
    expect(await violationsOf(update(['NOBODY']))).toEqual(['roles.0: enum']);
    const root = await world.actor({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
    expect(await violationsOf(update(['SUPER_ADMIN'], root.as))).toEqual(['roles: role']);
    expect(await outcomeOf(update(['SUPER_ADMIN']))).toBe('PERMISSION_DENIED');
    expect(await rolesNow()).toEqual([['ROLE_DELIVERY'], ['ROLE_DELIVERY']]);
    const name = newRoleName();
    await world.clients.role.createRole({ name, permissions: ['MANAGE_CLIENTS'], inherits: [] }, admin.as);
    await update([name]);
    const limited = await world.actor({ roles: [name] });
    expect(await outcomeOf(update([name], limited.as))).toBe('OK');
    expect(await outcomeOf(update([name, 'SALES'], limited.as))).toBe('PERMISSION_DENIED');
    expect(await rolesNow()).toEqual([[`ROLE_${name}`], [`ROLE_${name}`]]);
  });

  it('deletes it with its secrets, tokens and API keys; its audit records stay', async () => {
    const { serviceAccount, serviceAccountId, clientSecret } = await create();
    const grant = { grantType: 'client_credentials', clientId: serviceAccount.clientId, clientSecret };
    const { accessToken } = await clients.issueToken(grant);
    const { apiKey } = await world.clients.apiKey.issueApiKey({ serviceAccountId, label: 'x' }, admin.as);
    const credentials = [{ authorization: [`Bearer ${accessToken}`] }, { apiKey: [apiKey] }];
    const outcomes = () => Promise.all(credentials.map((as) => outcomeOf(world.clients.identity.getMe({}, as))));
    expect(await outcomes()).toEqual(['OK', 'OK']);
    const other = await world.actor({ tenantId: 'globex', roles: ['ADMIN'] });
    expect(await outcomeOf(clients.deleteServiceAccount({ serviceAccountId }, other.as))).toBe('NOT_FOUND');
    expect(await outcomes()).toEqual(['OK', 'OK']);
    await clients.deleteServiceAccount({ serviceAccountId, reason: 'left' }, admin.as);
    expect(await outcomes()).toEqual(['SUBJECT_UNKNOWN', 'TOKEN_INVALID']);
    expect(await outcomeOf(clients.issueToken(grant))).toBe('INVALID_CLIENT');
    expect(await outcomeOf(clients.getServiceAccount({ serviceAccountId }, admin.as))).toBe('NOT_FOUND');
    expect(await outcomeOf(clients.deleteServiceAccount({ serviceAccountId }, admin.as))).toBe('NOT_FOUND');
    for (const table of ['client_secrets', 'api_keys'])
      expect(
        await world.deployment.database.query(`SELECT 1 AS one FROM ${table} WHERE account_id = ?`, [
          Buffer.from(serviceAccountId.replaceAll('-', ''), 'hex'),
        ]),
      ).toEqual([]);
    const { records } = await world.clients.audit.listAuditRecords(
      { accountId: serviceAccountId, events: [] },
      admin.as,
    );
    expect(records[0]).toMatchObject({ event: 'account.deleted', username: serviceAccount.clientId });
    expect(JSON.parse(records[0]!.details)).toMatchObject({ reason: 'left' });
    // The client id can be used again.
    await clients.createServiceAccount({ ...request(), clientId: serviceAccount.clientId }, admin.as);
    expect(await outcomeOf(clients.issueToken(grant))).toBe('INVALID_CLIENT');
  });

  it('lists service accounts of the tenant with their live secrets, without users', async () => {
    const tenantId = `tenant-${newId()}`;
    const own = await world.actor({ tenantId, roles: ['ADMIN'] });
    const ids: string[] = [];
    for (const name of ['One', 'Two', 'Three']) {
      const { serviceAccount } = await clients.createServiceAccount({ ...request(), name }, own.as);
      ids.unshift(serviceAccount!.id);
    }
    await clients.disableServiceAccount({ serviceAccountId: ids[0]! }, own.as);
    const all = await clients.listServiceAccounts({ page: { page: 1, perPage: 2 } }, own.as);
    expect(all.serviceAccounts.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(all.serviceAccounts.map(({ secrets }) => secrets.length)).toEqual([1, 1]);
    expect(all.page).toEqual({ page: 1, perPage: 2, total: 3, next: expect.any(String) });
    const named = await clients.listServiceAccounts({ query: 'tW' }, own.as);
    expect(named.serviceAccounts.map(({ name }) => name)).toEqual(['Two']);
    expect((await clients.listServiceAccounts({ disabled: false }, own.as)).page!.total).toBe(2);
  });

  it('returns NOT_FOUND for a user', async () => {
    const { id: serviceAccountId } = await world.seed();
    const calls = [clients.getServiceAccount, clients.disableServiceAccount, clients.createClientSecret];
    for (const call of [...calls, clients.deleteServiceAccount]) {
      expect(await outcomeOf(call({ serviceAccountId }, admin.as))).toBe('NOT_FOUND');
    }
  });
});
