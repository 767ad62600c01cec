// The audit trail: changes by administrators are recorded with their actor, and can be filtered within the tenant.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditActor } from '../../../proto/gen/authservice/audit/v1/audit_service.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { restClient } from '../../support/rest-client.ts';
import { NEW_USER, userUpdate } from './rpcs.ts';
import { openWorld, type Actor, type World } from '../../support/world.ts';
import { outcomeOf, violationsOf } from '../../support/rpc-outcomes.ts';
import { seedSession } from '../../support/sessions.ts';
import { rememberPasswords } from '../../support/argon2.ts';

rememberPasswords();

const NEW_PASSWORD = 'Another long password';

describe.each(DIAGONAL)('$engine over $transport', ({ engine, transport }) => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld({ engine, transport });
  });
  afterAll(() => world?.close());

  const records = async (actor: Actor, request: object = {}) =>
    (await world.clients.audit.listAuditRecords({ events: [], ...request }, actor.as)).records;
  const ownTenant = async () => {
    const tenantId = `tenant-${newId()}`;
    return { tenantId, admin: await world.actor({ tenantId, roles: ['ADMIN'] }) };
  };

  it('shows an account its own records, without the data of others', async () => {
    const { tenantId, admin } = await ownTenant();
    const user = await world.actor({ tenantId });
    const colleague = await world.actor({ tenantId });
    const rest = restClient(world.deployment.url);
    const { identity, session, audit } = world.clients;
    await rest.login({ username: user.account.username, password: 'wrong' });
    await rest.login({ username: colleague.account.username, password: 'wrong' });
    await identity.updateUser(userUpdate(user.account.id, { name: 'Renamed' }), {
      ...admin.as,
      clientAddress: '192.0.2.7',
    });
    await session.revokeMySession({ sessionId: (await seedSession(world.deployment, user.account)).id }, user.as);
    const own = async ({ as }: Actor) => (await audit.listMyAuditRecords({}, as)).records;
    expect((await own(user)).map(({ id: _id, at: _at, details, ...record }) => [record, JSON.parse(details!)])).toEqual(
      [
        [
          {
            event: 'session.revoked',
            actor: AuditActor.AUDIT_ACTOR_ACCOUNT,
            concernsYou: true,
            clientAddress: expect.any(String),
          },
          expect.objectContaining({ sessionId: expect.any(String) }),
        ],
        [
          { event: 'account.updated', actor: AuditActor.AUDIT_ACTOR_ADMINISTRATOR, concernsYou: true },
          { fields: 'name' },
        ],
        [
          {
            event: 'login.failed',
            actor: AuditActor.AUDIT_ACTOR_ACCOUNT,
            concernsYou: true,
            clientAddress: '127.0.0.1',
          },
          { reason: 'BAD_CREDENTIALS' },
        ],
      ],
    );
    const ofAdmin = await own(admin);
    expect(ofAdmin).toEqual([
      {
        id: expect.any(String),
        at: expect.any(Date),
        event: 'account.updated',
        actor: AuditActor.AUDIT_ACTOR_ACCOUNT,
        concernsYou: false,
        clientAddress: '192.0.2.7',
      },
    ]);
    expect(JSON.stringify([...(await own(user)), ...ofAdmin])).not.toContain(colleague.account.id);
    // The other records follow the first behind a cursor.
    const first = await audit.listMyAuditRecords({ page: { page: 1, perPage: 1 } }, user.as);
    const next = await audit.listMyAuditRecords({ page: { page: 0, perPage: 5, after: first.page!.next! } }, user.as);
    expect([...first.records, ...next.records]).toEqual(await own(user));
    expect(await own(await world.actor({ tenantId }))).toEqual([]);
  });

  it('shows a SUPER_ADMIN what it caused in each tenant', async () => {
    const root = await world.actor({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const user = await world.seed();
    await world.clients.identity.disableUser({ userId: user.id }, root.as);
    const { records: found } = await world.clients.audit.listMyAuditRecords({}, root.as);
    expect(found.map(({ event, concernsYou }) => [event, concernsYou])).toEqual([['account.disabled', false]]);
  });

  it('records each change of a user once, with its details and without secrets', async () => {
    const { tenantId, admin } = await ownTenant();
    const { identity, session } = world.clients;
    const { user } = await identity.createUser({ ...NEW_USER(), password: NEW_PASSWORD }, admin.as);
    const { id: userId, username } = user!.account!;
    const call = { ...admin.as, requestId: 'request-1', clientAddress: '192.0.2.7' };
    await identity.updateUser(userUpdate(userId, { name: 'Renamed', email: 'a@b.test' }), call);
    await identity.updateUser(userUpdate(userId, { name: 'Renamed' }), call);
    await identity.setUserRoles({ userId, roles: ['FLORIST', 'DELIVERY'] }, call);
    await identity.disableUser({ userId }, call);
    await identity.disableUser({ userId }, call);
    await identity.enableUser({ userId }, call);
    await identity.setUserPassword({ userId, password: NEW_PASSWORD.toUpperCase() }, call);
    await identity.unlockUser({ userId }, call);
    await session.revokeUserSessions({ userId }, call);
    await identity.deleteUser({ userId }, call);

    const found = await records(admin, { accountId: userId });
    expect(found.toReversed().map(({ event, details }) => [event, JSON.parse(details)])).toEqual([
      ['account.created', { roles: 'SALES' }],
      ['account.updated', { fields: 'name,email' }],
      ['account.roles-changed', { from: 'SALES', to: 'FLORIST,DELIVERY', sessionsEnded: 0 }],
      ['account.disabled', { sessionsEnded: 0 }],
      ['account.enabled', {}],
      ['account.password-changed', { sessionsEnded: 0 }],
      ['account.deleted', { sessionsEnded: 0 }],
    ]);
    expect(found[0]).toEqual({
      id: expect.any(String),
      tenantId,
      at: new Date(world.deployment.clock.now()),
      event: 'account.deleted',
      accountId: userId,
      username,
      actorId: admin.account.id,
      causedBy: { id: admin.account.id, username: admin.account.username },
      sessionId: admin.session.id,
      clientAddress: '192.0.2.7',
      requestId: 'request-1',
      details: '{"sessionsEnded":0}',
    });
    expect(JSON.stringify(found).toLowerCase()).not.toContain(NEW_PASSWORD.toLowerCase());
    expect(await records(admin, { actorId: admin.account.id })).toEqual(found);
  });

  it('records changes of service accounts and their secrets', async () => {
    const { admin } = await ownTenant();
    const { clientCredentials } = world.clients;
    const created = await clientCredentials.createServiceAccount(
      { clientId: `client-${newId()}`, name: 'Sync', roles: ['SALES'] },
      admin.as,
    );
    const { id: serviceAccountId, secrets } = created.serviceAccount!;
    const second = await clientCredentials.createClientSecret({ serviceAccountId }, admin.as);
    await outcomeOf(clientCredentials.createClientSecret({ serviceAccountId }, admin.as));
    await clientCredentials.expireClientSecret({ serviceAccountId, secretId: secrets[0]!.id }, admin.as);
    await clientCredentials.disableServiceAccount({ serviceAccountId }, admin.as);
    const found = await records(admin, { accountId: serviceAccountId });
    const expiresAt = new Date(world.deployment.clock.now()).toISOString();
    expect(found.toReversed().map(({ event, details }) => [event, JSON.parse(details)])).toEqual([
      ['account.created', { roles: 'SALES' }],
      ['client-secret.created', { secretId: secrets[0]!.id }],
      ['client-secret.created', { secretId: second.secret!.id }],
      ['client-secret.expiry-set', { secretId: secrets[0]!.id, expiresAt }],
      ['account.disabled', { sessionsEnded: 0 }],
    ]);
    for (const secret of [created.clientSecret, second.clientSecret])
      expect(JSON.stringify(found)).not.toContain(secret);
  });

  it('records changes of tenants, also for their administrators', async () => {
    const tenantId = `tenant-${newId()}`;
    const { tenancy } = world.clients;
    await tenancy.createTenant({ tenantId, name: 'Flowers' }, world.root.as);
    for (const call of [tenancy.suspendTenant, tenancy.suspendTenant, tenancy.activateTenant, tenancy.activateTenant]) {
      await call({ tenantId }, world.root.as);
    }
    const admin = await world.actor({ tenantId, roles: ['ADMIN'] });
    const found = await records(admin);
    expect(found.map(({ event, actorId }) => [event, actorId])).toEqual([
      ['tenant.activated', world.root.account.id],
      ['tenant.suspended', world.root.account.id],
      ['tenant.created', world.root.account.id],
    ]);
    expect(await records(world.root, { tenantId })).toEqual(found);
  });

  it('records logins, rejected logins, refreshes and ends of sessions', async () => {
    const { tenantId, admin } = await ownTenant();
    const rest = restClient(world.deployment.url);
    const user = await world.seed({ tenantId });
    await rest.login({ username: user.username, password: 'wrong' });
    const opened = await rest.open(user.username);
    await rest.logout(opened);
    const again = await world.actor({ tenantId });
    await world.clients.session.revokeSession({ sessionId: again.session.id }, admin.as);
    await world.clients.session.revokeSession({ sessionId: admin.session.id }, admin.as);
    const found = await records(world.root, { tenantId });
    expect(found.map(({ event, actorId }) => [event, actorId])).toEqual([
      ['session.revoked', undefined],
      ['session.revoked', admin.account.id],
      ['session.logged-out', undefined],
      ['login.succeeded', undefined],
      ['login.failed', undefined],
    ]);
    expect(JSON.parse(found.at(-1)!.details)).toEqual({ reason: 'BAD_CREDENTIALS' });
    expect(JSON.stringify(found)).not.toContain(PASSWORD);
    const events = ['login.failed', 'login.succeeded'];
    expect((await records(world.root, { tenantId, events })).map(({ event }) => event)).toEqual(events.toReversed());
    expect(await records(world.root, { tenantId, events: ['no.such'] })).toEqual([]);
  });

  it('filters by time, in pages', async () => {
    const { tenantId, admin } = await ownTenant();
    const { clock } = world.deployment;
    const times: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      times.push(clock.now());
      await world.clients.identity.createUser(NEW_USER(), admin.as);
      clock.advance(1_000);
    }
    const at = async (request: object) =>
      (await records(admin, request)).map((record) => times.indexOf(record.at!.getTime()));
    expect(await at({ from: new Date(times[1]!), until: new Date(times[4]!) })).toEqual([3, 2, 1]);
    expect(await at({ from: new Date(times[3]! + 1) })).toEqual([4]);
    expect(await at({ page: { page: 2, perPage: 2 } })).toEqual([2, 1]);
    const { page } = await world.clients.audit.listAuditRecords(
      { events: [], page: { page: 3, perPage: 2 } },
      admin.as,
    );
    expect(page).toEqual({ page: 3, perPage: 2, total: 5 });
    expect(await outcomeOf(records(world.other, { tenantId }))).toBe('TENANT_MISMATCH');
    expect((await records(world.other, { tenantId: 'globex' })).every((record) => record.tenantId === 'globex')).toBe(
      true,
    );
  });

  it('returns records without a tenant to a SUPER_ADMIN only', async () => {
    const target = await world.actor({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const accountId = target.account.id;
    await world.clients.identity.disableUser({ userId: accountId }, world.root.as);
    const [found] = await records(world.root, { accountId });
    expect(found).toMatchObject({ event: 'account.disabled', actorId: world.root.account.id });
    expect(found!.tenantId).toBeUndefined();
    expect(await records(world.admin, { accountId })).toEqual([]);
  });

  it('rejects filters that match nothing', async () => {
    const { audit } = world.clients;
    const request = {
      events: Array<string>(51).fill('x'),
      accountId: 'a',
      actorId: 'b',
      from: new Date(-1),
      tenantId: 'A B',
    };
    expect(await violationsOf(audit.listAuditRecords(request, world.root.as))).toEqual([
      'events: maxItems',
      'tenantId: pattern',
      'accountId: uuid',
      'actorId: uuid',
      'from: date-time',
    ]);
    const turned = { events: [], from: new Date(2_000), until: new Date(1_999) };
    expect(await violationsOf(audit.listAuditRecords(turned, world.root.as))).toEqual(['from: range']);
  });
});
