import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccountStore } from '../../src/auth/identity/account-store.ts';
import { createBuiltInRoles } from '../../src/auth/access/roles/built-in-roles.ts';
import { createDefinitions, lockSharedRoles, type DefinitionsReader } from '../../src/auth/access/roles/definitions.ts';
import { permissionNames } from '../../src/auth/access/roles/rights.ts';
import { beginChangeForAll, beginDefinitionsChange } from '../../src/auth/tenancy/lock-tenant.ts';
import { insertTenant } from '../../src/auth/tenancy/tenant-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import type { Database, Statements } from '../../src/platform/db/types.ts';
import { seedAccount } from '../support/accounts.ts';
import { testClock } from '../support/clock.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { ROUNDS } from '../support/rounds.ts';

/** Counts the statements outside of transactions. */
function counting(database: Database): { readonly statements: Database; readonly texts: string[] } {
  const texts: string[] = [];
  const query: Statements['query'] = (sql, values) => {
    texts.push(sql);
    return database.query(sql, values);
  };
  return { statements: { ...database, query }, texts };
}

const clock = testClock();

describe.each(ENGINES)('definitions on %s', (engine) => {
  let test: TestDatabase;
  let database: Database;
  let texts: string[];
  let definitions: DefinitionsReader;
  let tenants = 0;
  let tenantId: string;

  beforeAll(async () => {
    test = await createTestDatabase(engine);
    database = test.database;
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    const counted = counting(database);
    texts = counted.texts;
    definitions = createDefinitions(counted.statements);
    tenantId = `tenant-${(tenants += 1)}`;
    await insertTenant(database, { id: tenantId, name: tenantId, status: 'ACTIVE', createdAt: clock.now() });
  });

  const change = (work: (tx: Statements) => Promise<unknown>) =>
    database.transaction(UNLIMITED, async (tx) => {
      await beginDefinitionsChange(database, tx, { tenantId, now: clock.now(), deadline: UNLIMITED });
      await work(tx);
    });
  const insertRole = (tx: Statements, tenant: string, name: string, permissions: string[], inherits: string[] = []) =>
    tx.execute(
      'INSERT INTO roles (tenant_id, name, permissions, inherits, created_at, updated_at, version) VALUES (?, ?, ?, ?, 0, 0, 1)',
      [Buffer.from(tenant), Buffer.from(name), JSON.stringify(permissions), JSON.stringify(inherits)],
    );
  /** The account's rights, read through the store as a credential check does. */
  async function rightsOf(account: { tenantId: string | undefined; id: string }) {
    return (await createAccountStore(database, definitions).find(account))!.account.rights;
  }

  it('takes no statement for a tenant that defines nothing', async () => {
    const account = await seedAccount(database, { tenantId, roles: ['MANAGER'] });
    expect((await rightsOf(account)).roles).toEqual(['MANAGER', 'SALES', 'ACCOUNTANT']);
    expect(texts).toEqual([]);
  });

  it('reads the definitions of a version once', async () => {
    await change((tx) => insertRole(tx, tenantId, 'CLERK', ['invoices:read', 'READ_ORDERS'], ['SALES']));
    const account = await seedAccount(database, { tenantId, roles: ['CLERK'] });
    const first = await rightsOf(account);
    expect(first.prefixedRoles).toEqual(['ROLE_CLERK', 'ROLE_SALES']);
    expect(first.permissions.own).toEqual(['invoices:read']);
    expect(first.permissions.has('invoices:read')).toBe(true);
    expect(first.permissions.has('invoices:write')).toBe(false);
    expect(await rightsOf(account)).toBe(first);
    expect(texts).toHaveLength(1);

    await change((tx) => insertRole(tx, tenantId, 'OTHER', ['invoices:write']));
    expect((await rightsOf(account)).permissions.own).toEqual(['invoices:read']);
    await rightsOf(account);
    expect(texts).toHaveLength(2);
  });

  it('gives no permission that no built-in role of the service has', async () => {
    await change((tx) => insertRole(tx, tenantId, 'CLERK', ['invoices:read', 'READ_ORDERS', 'READ_AUDIT']));
    const account = await seedAccount(database, { tenantId, roles: ['CLERK'] });
    expect(permissionNames((await rightsOf(account)).permissions)).toEqual(['READ_AUDIT', 'invoices:read']);
    expect(definitions.permissionNamed('READ_ORDERS')).toBeUndefined();
    const withShop = createDefinitions(database, createBuiltInRoles([{ SALES: ['READ_ORDERS'] }]));
    const found = (await createAccountStore(database, withShop).find(account))!.account.rights;
    expect(permissionNames(found.permissions)).toEqual(['READ_AUDIT', 'READ_ORDERS', 'invoices:read']);
    expect(withShop.permissionNamed('READ_ORDERS')).toBeDefined();
    expect(withShop.permissionNamed('USE_FILES')).toBeUndefined();
  });

  it('shares a statement between concurrent lookups', async () => {
    await change((tx) => insertRole(tx, tenantId, 'CLERK', ['invoices:read']));
    const account = await seedAccount(database, { tenantId, roles: ['CLERK'] });
    await Promise.all(Array.from({ length: 50 }, () => rightsOf(account)));
    expect(texts).toHaveLength(1);
  });

  it('keeps nothing that a transaction sees before it ends', async () => {
    await change((tx) => insertRole(tx, tenantId, 'CLERK', ['invoices:read']));
    const account = await seedAccount(database, { tenantId, roles: ['CLERK'] });
    const store = createAccountStore(database, definitions);
    await change(async (tx) => {
      expect((await store.hold(tx, account))!.account.rights.permissions.own).toEqual(['invoices:read']);
      await tx.execute('UPDATE roles SET permissions = ? WHERE tenant_id = ?', ['["a:b"]', Buffer.from(tenantId)]);
      expect((await store.hold(tx, account))!.account.rights.permissions.own).toEqual(['a:b']);
    });
    expect((await rightsOf(account)).permissions.own).toEqual(['a:b']);
    await expect(
      change(async (tx) => {
        await tx.execute('UPDATE roles SET permissions = ? WHERE tenant_id = ?', ['["c:d"]', Buffer.from(tenantId)]);
        expect((await store.hold(tx, account))!.account.rights.permissions.own).toEqual(['c:d']);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect((await rightsOf(account)).permissions.own).toEqual(['a:b']);
  });

  it('gives each administrator of a tenant all own permissions but those of the platform', async () => {
    await change((tx) => insertRole(tx, tenantId, 'CLERK', ['invoices:read', 'platform:audit', 'a:b']));
    for (const role of ['TENANT_ADMIN', 'ADMIN', 'OWNER']) {
      const { permissions } = await rightsOf(await seedAccount(database, { tenantId, roles: [role] }));
      expect(permissions.own).toEqual(['a:b', 'invoices:read']);
      expect(permissions.has('not.yet:named')).toBe(true);
      expect(permissions.has('platform:audit')).toBe(false);
      expect(permissions.has('Not a permission')).toBe(false);
    }
    const { permissions } = await rightsOf(
      await seedAccount(database, { tenantId: undefined, roles: ['SUPER_ADMIN'] }),
    );
    expect([permissions.has('platform:audit'), permissions.has('invoices:read')]).toEqual([true, false]);
  });

  it('has the roles for every tenant, also in a tenant that is created later', async () => {
    const account = await seedAccount(database, { tenantId, roles: ['SUPPORT'] });
    expect((await rightsOf(account)).permissions.own).toEqual([]);
    const now = clock.now();
    await database.transaction(UNLIMITED, async (tx) => {
      await beginChangeForAll(database, tx, { now, deadline: UNLIMITED });
      await insertRole(tx, '', 'SUPPORT', ['tickets:read']);
    });
    expect((await rightsOf(account)).permissions.own).toEqual(['tickets:read']);
    const late = `late-${tenantId}`;
    await database.transaction(UNLIMITED, async (tx) => {
      await lockSharedRoles(tx);
      await insertTenant(tx, { id: late, name: late, status: 'ACTIVE', createdAt: now });
    });
    const other = await seedAccount(database, { tenantId: late, roles: ['SUPPORT'] });
    expect((await rightsOf(other)).permissions.own).toEqual(['tickets:read']);
    await database.transaction(UNLIMITED, async (tx) => {
      await beginChangeForAll(database, tx, { now, deadline: UNLIMITED });
      await tx.execute('DELETE FROM roles WHERE tenant_id = ? AND name > ?', [Buffer.alloc(0), Buffer.alloc(0)]);
    });
    for (const each of [account, other]) expect((await rightsOf(each)).permissions.own).toEqual([]);
  });

  it('shares one copy of the roles for every tenant between tenants, until these roles change', async () => {
    const changeForAll = (work: (tx: Statements) => Promise<unknown>) =>
      database.transaction(UNLIMITED, async (tx) => {
        await beginChangeForAll(database, tx, { now: clock.now(), deadline: UNLIMITED });
        await work(tx);
      });
    const create = (id: string) =>
      database.transaction(UNLIMITED, async (tx) => {
        await lockSharedRoles(tx);
        await insertTenant(tx, { id, name: id, status: 'ACTIVE', createdAt: clock.now() });
      });
    const load = async (id: string) => await definitions.load({ tenantId: id, version: null });
    const [second, late] = [`second-${tenantId}`, `late-${tenantId}`];
    await create(second);
    await changeForAll((tx) => insertRole(tx, '', 'HELPER', ['tickets:read']));
    await change((tx) => insertRole(tx, tenantId, 'CLERK', ['invoices:read'], ['HELPER']));

    const first = await load(tenantId);
    await create(late);
    for (const id of [second, late]) {
      const other = await load(id);
      expect(other.roles.get('HELPER')).toBe(first.roles.get('HELPER'));
      expect([...other.ownRoles.keys()]).toEqual(['HELPER']);
      expect(other.declared).toEqual(['tickets:read']);
    }
    expect([...first.ownRoles.keys()].toSorted()).toEqual(['CLERK', 'HELPER']);
    expect(first.declared).toEqual(['invoices:read', 'tickets:read']);
    expect(first.rightsOf(['CLERK']).permissions.own).toEqual(['invoices:read', 'tickets:read']);

    await changeForAll((tx) =>
      tx.execute('UPDATE roles SET permissions = ? WHERE name = ?', ['["tickets:write"]', Buffer.from('HELPER')]),
    );
    const [after, other] = await Promise.all([load(tenantId), load(late)]);
    expect(after.rightsOf(['CLERK']).permissions.own).toEqual(['invoices:read', 'tickets:write']);
    expect(other.roles.get('HELPER')).toBe(after.roles.get('HELPER'));
    await changeForAll((tx) => tx.execute('DELETE FROM roles WHERE name = ?', [Buffer.from('HELPER')]));
    expect((await load(late)).roles.has('HELPER')).toBe(false);
  });

  it('is never older than the last change of roles for every tenant, also with lookups during the change', async () => {
    const ids = ['x', 'y', 'z'].map((prefix) => `${prefix}-${tenantId}`);
    for (const id of ids) await insertTenant(database, { id, name: id, status: 'ACTIVE', createdAt: clock.now() });
    const accounts = await Promise.all(ids.map((id) => seedAccount(database, { tenantId: id, roles: ['RACER'] })));
    const others = createAccountStore(database, createDefinitions(database));
    for (let round = 0; round < ROUNDS; round += 1) {
      const changing = database.transaction(UNLIMITED, async (tx) => {
        await beginChangeForAll(database, tx, { now: clock.now(), deadline: UNLIMITED });
        await tx.execute('DELETE FROM roles WHERE name = ?', [Buffer.from('RACER')]);
        await insertRole(tx, '', 'RACER', [`round:${round}`]);
      });
      const during = Array.from({ length: 4 }, () => Promise.all(accounts.map(rightsOf)));
      await Promise.all([changing, ...during]);
      for (const account of accounts) {
        const found = [await rightsOf(account), (await others.find(account))!.account.rights];
        expect(found.map(({ permissions }) => permissions.own)).toEqual([[`round:${round}`], [`round:${round}`]]);
      }
    }
    await database.execute('DELETE FROM roles WHERE name = ?', [Buffer.from('RACER')]);
  });

  it('passes on the policy as it is stored', async () => {
    await change((tx) => tx.execute('UPDATE tenants SET policy = ? WHERE id = ?', ['{"a":1}', Buffer.from(tenantId)]));
    const account = await seedAccount(database, { tenantId });
    expect((await createAccountStore(database, definitions).find(account))!.definitions.policy).toEqual({ a: 1 });
  });
});
