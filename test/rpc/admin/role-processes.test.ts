// Roles and their holders under parallel changes: two deployments on one database.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { ENGINES } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { addSecret } from '../../rest/m2m/clients.ts';
import { restClient, sessionOf, type RestClient } from '../../support/rest-client.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { authorizedBy, seedSession } from '../../support/sessions.ts';
import { recordSpans } from '../../support/spans.ts';
import { clientsOf, openWorld, type Clients, type World } from '../../support/world.ts';
import { newRoleName, NEW_USER } from './rpcs.ts';

const NONE = { permissions: [], inherits: [] };

describe.each(ENGINES)('%s', (engine) => {
  const spans = recordSpans();
  let world: World;
  let second: Deployment;
  let there: Clients;
  let rest: RestClient;

  beforeAll(async () => {
    world = await openWorld({ engine, transport: 'local' });
    const { databaseUrl, clock } = world.deployment;
    second = await deploy({ engine, transport: 'grpc', databaseUrl, clock, tracer: spans.tracer });
    there = clientsOf(second);
    rest = restClient(second.url);
  });
  afterAll(async () => {
    await second?.close();
    await world?.close();
  });
  beforeEach(() => spans.reset());

  const create = async (role: object = {}, as = world.admin.as) => {
    const name = newRoleName();
    await world.clients.role.createRole({ ...NONE, name, ...role }, as);
    return name;
  };

  it('a changed role is in force at the next request of the other process', { timeout: 120_000 }, async () => {
    const [own, shared] = [await create(), await create({}, world.root.as)];
    const { as } = await world.actor({ tenantId: 'acme', roles: [own, shared] });
    let stale = 0;
    // In each round, the role of all tenants changes once, and the role of the tenant twice.
    for (let change = 0; change < 3 * ROUNDS; change += 1) {
      const [name, by] = change % 3 === 0 ? [shared, world.root.as] : [own, world.admin.as];
      const [granted, other] = [`change:${change}`, `other:${change}`];
      const fields = { permissions: [granted], inherits: [] };
      await world.clients.role.updateRole({ name, role: fields, updateMask: ['permissions'] }, by);
      const [allowed, refused] = await Promise.all([
        outcomeOf(there.identity.verifyAccess({ permission: [granted] }, as)),
        outcomeOf(there.identity.verifyAccess({ permission: [other] }, as)),
      ]);
      if (allowed !== 'OK' || refused !== 'PERMISSION_DENIED') stale += 1;
      const before = `change:${change - 1}`;
      if (change % 3 === 2 && (await outcomeOf(there.identity.verifyAccess({ permission: [before] }, as))) === 'OK')
        stale += 1;
    }
    expect(stale).toBe(0);
  });

  const countStatements = async (work: () => Promise<unknown>) => {
    spans.reset();
    await work();
    return spans.all().filter(({ name }) => /^(SELECT|INSERT|UPDATE|DELETE) /.test(name)).length;
  };

  /** Counts the statements of a request with a bearer token, a refresh and a grant in a tenant that defines this. */
  async function countStatementsWith(defined: { readonly ownRole?: true; readonly policy?: true }) {
    const tenantId = `tenant-${newId()}`;
    const as = world.root.as;
    const roles = [defined.ownRole ? newRoleName() : 'SALES'];
    // The account creates the tenant.
    const account = await world.seed({ tenantId, roles });
    const client = await world.seed({ tenantId, roles, interactive: false });
    if (defined.ownRole)
      await world.clients.role.createRole(
        { ...NONE, name: roles[0]!, permissions: ['invoices:read'], inherits: ['SALES'], tenantId },
        as,
      );
    if (defined.policy)
      await world.clients.tenancy.updateTenantPolicy(
        {
          tenantId,
          policy: { allowedOrigins: [], accessTokenTtl: 60, sessionIdleWindow: 3_600, lockMaxFailures: 3 },
          updateMask: ['access_token_ttl', 'session_idle_window', 'lock_max_failures'],
        },
        as,
      );
    const session = await seedSession(second, account);
    const clientSecret = await addSecret(world.deployment.database, client);
    const grant = { grant_type: 'client_credentials', client_id: client.username, client_secret: clientSecret };
    const bearer = () => there.identity.getMe({}, authorizedBy(session));
    // The first lookup reads the definitions.
    await bearer();
    return {
      bearer: await countStatements(bearer),
      refresh: await countStatements(async () => sessionOf(await rest.refresh(session.cookie))),
      grant: await countStatements(async () =>
        expect((await rest.postJson('/api/v1/auth/token', grant)).body.token_type).toBe('Bearer'),
      ),
    };
  }

  it('own roles and a policy take no further statement of a bearer token, a refresh and a grant', async () => {
    const without = await countStatementsWith({});
    expect(without).toEqual({ bearer: 1, refresh: 3, grant: 3 });
    expect(await countStatementsWith({ ownRole: true })).toEqual(without);
    expect(await countStatementsWith({ policy: true })).toEqual(without);
    expect(await countStatementsWith({ ownRole: true, policy: true })).toEqual(without);
  });

  it('a changed role is read once, and then with the account', async () => {
    const name = await create({ permissions: ['invoices:read'] });
    const { as } = await world.actor({ tenantId: 'acme', roles: [name] });
    const count = () => countStatements(() => there.identity.getMe({}, as));
    // The first requests read the role and the revocations.
    await count();
    const usual = await count();
    await world.clients.role.updateRole(
      { name, role: { ...NONE, description: 'x' }, updateMask: ['description'] },
      world.admin.as,
    );
    expect([await count(), await count()]).toEqual([usual + 1, usual]);
  });

  it('a role is never deleted while it is given', { timeout: 60_000 }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = await create();
      const user = await world.seed({ tenantId: 'acme' });
      const request = { userId: user.id, roles: [name] };
      const [given, created, deleted] = await Promise.all([
        outcomeOf(there.identity.setUserRoles(request, world.admin.as)),
        outcomeOf(world.clients.identity.createUser({ ...NEW_USER(), roles: [name] }, world.admin.as)),
        outcomeOf(world.clients.role.deleteRole({ name }, world.admin.as)),
      ]);
      expect(['OK', 'CONFLICT', 'SERVICE_UNAVAILABLE', 'AUTHENTICATION_SERVICE_UNAVAILABLE']).toContain(deleted);
      expect(
        [given, created].map((one) =>
          ['OK', 'VALIDATION_ERROR', 'SERVICE_UNAVAILABLE', 'AUTHENTICATION_SERVICE_UNAVAILABLE'].includes(one),
        ),
      ).toEqual([true, true]);
      if (deleted === 'OK') expect([given, created]).not.toContain('OK');
    }
  });

  it('parallel changes give no account what their author lacks', { timeout: 60_000 }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [small, large] = [
        await create({ permissions: ['a:a', 'MANAGE_USERS'] }),
        await create({ permissions: ['a:a'] }),
      ];
      const manager = await world.actor({ tenantId: 'acme', roles: [small] });
      const user = await world.seed({ tenantId: 'acme', roles: [large] });
      const raised = { permissions: ['a:a', 'b:b'], inherits: [] };
      const [given] = await Promise.all([
        outcomeOf(there.identity.setUserPassword({ userId: user.id, password: 'A long enough password' }, manager.as)),
        world.clients.role.updateRole({ name: large, role: raised, updateMask: ['permissions'] }, world.admin.as),
      ]);
      expect(['OK', 'PERMISSION_DENIED']).toContain(given);
      const later = there.identity.setUserPassword({ userId: user.id, password: 'Another long password' }, manager.as);
      expect(await outcomeOf(later)).toBe('PERMISSION_DENIED');
    }
  });

  it('two administrators can change each other at the same time', { timeout: 60_000 }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [one, other] = await Promise.all([
        world.actor({ tenantId: 'acme', roles: ['ADMIN'] }),
        world.actor({ tenantId: 'acme', roles: ['ADMIN'] }),
      ]);
      const outcomes = await Promise.all([
        outcomeOf(there.identity.disableUser({ userId: other.account.id }, one.as)),
        outcomeOf(world.clients.identity.disableUser({ userId: one.account.id }, other.as)),
      ]);
      expect(outcomes.filter((outcome) => outcome === 'OK')).toHaveLength(1);
      expect(outcomes.toSorted()[1]).toMatch(/^(TOKEN_INVALID)$/);
    }
  });

  it(
    'an account that was disabled does not enable itself with a call that had begun',
    { timeout: 120_000 },
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { account, as } = await world.actor({ tenantId: 'acme', roles: ['ADMIN'] });
        const self = { userId: account.id };
        let over = false;
        const insist = async () => {
          while (!over) await outcomeOf(there.identity.enableUser(self, as));
        };
        const insisting = Promise.all([insist(), insist(), insist(), insist()]);
        await world.clients.identity.disableUser(self, world.admin.as);
        over = true;
        await insisting;
        const { user } = await world.clients.identity.getUser(self, world.admin.as);
        expect([round, user!.disabled]).toEqual([round, true]);
      }
    },
  );

  it('a role for every tenant does not exceed the limit of an account whose tenant has no own roles', async () => {
    const permissions = (from: number) => Array.from({ length: 150 }, (_, index) => `n${from + index}:read`);
    const large = await create({ permissions: permissions(0) }, world.root.as);
    const small = await create({ permissions: ['n0:read'] }, world.root.as);
    await world.seed({ tenantId: 'globex', roles: [large, small] });
    const role = { permissions: permissions(150), inherits: [] };
    const change = { name: small, role, updateMask: ['permissions'] };
    expect(await outcomeOf(world.clients.role.updateRole(change, world.root.as))).toBe('CONFLICT');
  });

  it('refuses roles whose names are too long together', async () => {
    const names = Array.from({ length: 32 }, (_, index) => `${newRoleName()}_${index}_`.padEnd(63, 'X'));
    for (const name of names) await world.clients.role.createRole({ ...NONE, name }, world.admin.as);
    const { id: userId } = await world.seed({ tenantId: 'acme', roles: ['SALES'] });
    const give = (roles: string[]) => outcomeOf(world.clients.identity.setUserRoles({ userId, roles }, world.admin.as));
    expect(await give(names)).toBe('VALIDATION_ERROR');
    expect(await give(names.slice(1))).toBe('OK');
  });
});
