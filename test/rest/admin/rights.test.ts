// Rights of those who help administrators: AUDITOR and HELP_DESK, the permissions of a user, and changes of a version of a user.
import { describe, expect, it } from 'vitest';
import { idToBytes, newId } from '../../../src/platform/db/ids.ts';
import { API, caller, etagOf, type Caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { NEW_PASSWORD, newUser, openAdministration, TIME } from './administration.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);
  const holder = (...roles: string[]) => caller(acme.world.deployment, { roles });
  const seedUser = async (...roles: string[]) => (await acme.world.seed({ roles })).id;
  const newRole = async (role: object, by: Caller = acme.admin) => {
    const name = `R${newId().replaceAll('-', '_').toUpperCase()}`;
    expect((await by.post('/roles', { name, ...role })).status).toBe(201);
    return name;
  };
  const statuses = async (by: Caller, id: string) =>
    Promise.all(
      ['', '/factors', '/sessions', '/permissions'].map(async (path) => (await by.get(`/users/${id}${path}`)).status),
    );

  it('READ_USERS reads users, their factors, sessions and roles, and changes nothing', async () => {
    const id = await seedUser('SALES');
    const auditor = await holder('AUDITOR');
    expect(await statuses(auditor, id)).toEqual([200, 200, 200, 200]);
    for (const path of ['/users', '/roles', '/roles/SALES', '/sessions', '/audit-records'])
      expect([path, (await auditor.get(path)).status]).toEqual([path, 200]);
    for (const [method, path, body] of [
      ['PATCH', `/users/${id}`, '{"name":"x"}'],
      ['POST', `/users/${id}/unlock`, undefined],
      ['DELETE', `/users/${id}/factors`, undefined],
      ['DELETE', `/users/${id}/sessions`, undefined],
      ['POST', `/users/${id}/disable`, undefined],
    ] as const) {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      expect([path, (await auditor.send(method, path, body, headers)).status]).toEqual([path, 403]);
    }
  });

  it('MANAGE_USERS includes READ_USERS, and MANAGE_SESSIONS still lists sessions alone', async () => {
    const id = await seedUser('SALES');
    const manager = await holder(await newRole({ permissions: ['MANAGE_USERS'] }));
    expect(await statuses(manager, id)).toEqual([200, 200, 200, 200]);
    expect((await manager.get('/account')).body.permissions).toEqual(['MANAGE_USERS', 'READ_USERS']);
    const ofSessions = await holder(await newRole({ permissions: ['MANAGE_SESSIONS'] }));
    expect(await statuses(ofSessions, id)).toEqual([403, 403, 200, 403]);
  });

  it.each<[string, object, number]>([
    ['no permission', { permissions: [] }, 204],
    ['an own permission that it lacks', { permissions: ['invoices:write'] }, 204],
    ['a permission of the shop', { inherits: ['MANAGER'] }, 204],
    ['an administrative permission that it holds', { permissions: ['MANAGE_SESSIONS'] }, 204],
    ['an administrative permission that it lacks', { permissions: ['MANAGE_WEBHOOKS'] }, 403],
    ['a permission of the platform', { permissions: ['platform:x'] }, 403],
  ])('HELP_DESK unlocks an account with %s, ends its sessions, and resets its factors', async (_what, role, status) => {
    const name = await newRole(role, acme.root);
    const helper = await holder('HELP_DESK');
    const account = await acme.world.seed({ roles: [name] });
    const { id } = account;
    expect((await helper.post(`/users/${id}/unlock`)).status).toBe(status === 204 ? 200 : 403);
    const session = await seedSession(acme.world.deployment, account);
    expect((await helper.delete(`/users/${id}/sessions/${session.id}`)).status).toBe(status);
    expect((await helper.delete(`/users/${id}/sessions`)).status).toBe(status === 204 ? 200 : 403);
    expect((await helper.delete(`/users/${id}/factors`)).status).toBe(status);
  });

  it('HELP_DESK does not recover an administrator, and may not do more', async () => {
    const helper = await holder('HELP_DESK');
    const admin = await seedUser('TENANT_ADMIN');
    expect(await helper.post(`/users/${admin}/unlock`)).toEqual(
      problem(403, 'permission-denied', `${API}/users/${admin}/unlock`),
    );
    const id = await seedUser('SALES');
    for (const [method, path] of [
      ['PUT', 'password'],
      ['PUT', 'roles'],
      ['POST', 'disable'],
    ] as const) {
      const response = await helper.send(method, `/users/${id}/${path}`, '{}', { 'content-type': 'application/json' });
      expect([path, response.status]).toEqual([path, 403]);
    }
  });

  it('an account without RECOVER_USERS still unlocks only accounts whose permissions it holds', async () => {
    const clerk = await holder(await newRole({ permissions: ['MANAGE_USERS'] }));
    const id = await seedUser(await newRole({ permissions: ['invoices:write'] }));
    expect((await clerk.post(`/users/${id}/unlock`)).status).toBe(403);
    expect((await clerk.delete(`/users/${id}/factors`)).status).toBe(403);
  });

  it('an own role with the name of a later built-in one stays in force', async () => {
    const { database } = acme.world.deployment;
    const name = await newRole({ permissions: ['invoices:read'] });
    const id = await seedUser(name);
    // Another release has created it.
    await database.execute('UPDATE roles SET name = ? WHERE name = ?', [Buffer.from('AUDITOR'), Buffer.from(name)]);
    await database.execute("UPDATE accounts SET roles = 'AUDITOR' WHERE id = ?", [idToBytes(id)]);
    await newRole({});
    try {
      expect((await acme.admin.get(`/users/${id}/permissions`)).body).toEqual([
        { permission: 'invoices:read', roles: ['AUDITOR'] },
      ]);
      const named = (await acme.admin.get('/roles?query=AUDITOR')).body;
      expect(named).toMatchObject([{ name: 'AUDITOR', builtIn: false, permissions: ['invoices:read'] }]);
      expect((await acme.admin.patch('/roles/AUDITOR', { permissions: ['invoices:write'] })).status).toBe(200);
      expect((await acme.admin.put(`/users/${id}/roles`, { roles: ['SALES'] })).status).toBe(200);
    } finally {
      await database.execute('DELETE FROM roles WHERE name = ?', [Buffer.from('AUDITOR')]);
      await newRole({});
    }
    expect((await acme.admin.get('/roles/AUDITOR')).body.builtIn).toBe(true);
  });

  it('GET /users/{id}/permissions names the held roles that give each permission', async () => {
    const name = await newRole({ permissions: ['invoices:read'], inherits: ['ACCOUNTANT'] });
    const id = await seedUser('PURCHASER', name);
    const { body } = await acme.admin.get(`/users/${id}/permissions`);
    const rolesOf = Object.fromEntries(
      body.map(({ permission, roles }: { permission: string; roles: string[] }) => [permission, roles]),
    );
    expect(rolesOf).toMatchObject({
      WRITE_PRODUCTS: ['PURCHASER'],
      READ_PRODUCTS: ['PURCHASER', name],
      'invoices:read': [name],
    });
    const missing = `/users/${newId()}/permissions`;
    expect(await acme.admin.get(missing)).toEqual(problem(404, 'not-found', API + missing));
  });

  it('PATCH and PUT …/roles change the version that If-Match names, which logins do not change', async () => {
    const user = newUser();
    const { id } = (await acme.admin.post('/users', user)).body;
    const path = `/users/${id}`;
    const first = etagOf(await acme.admin.get(path))!;
    const rest = restClient(acme.world.deployment.url);
    expect((await rest.login({ username: user.username, password: 'not the right one' })).status).toBe(401);
    expect((await rest.login({ username: user.username, password: NEW_PASSWORD })).status).toBe(200);
    // The tag is for If-Match alone: a 304 would hide the login.
    const known = await acme.admin.get(path, { 'if-none-match': first });
    expect([known.status, etagOf(known)]).toEqual([200, first]);
    expect(known.body.lastLoginAt).toEqual(TIME);

    const changed = await acme.admin.patch(path, { name: 'Second' }, { 'if-match': first });
    expect(changed.status).toBe(200);
    const second = etagOf(changed)!;
    expect(second).not.toBe(first);
    expect(await acme.admin.patch(path, { name: 'Third' }, { 'if-match': first })).toEqual(
      problem(412, 'precondition-failed', API + path),
    );
    expect((await acme.admin.put(`${path}/roles`, { roles: ['SALES'] }, { 'if-match': first })).status).toBe(412);
    expect((await acme.admin.get(path)).body).toMatchObject({ name: 'Second', heldRoles: ['SALES', 'FLORIST'] });
    const roles = await acme.admin.put(`${path}/roles`, { roles: ['SALES'] }, { 'if-match': second });
    expect([roles.status, roles.body.heldRoles]).toEqual([200, ['SALES']]);
    expect((await acme.admin.patch(path, { name: 'Fourth' })).status).toBe(200);

    const both = etagOf(await acme.admin.get(path))!;
    const raced = await Promise.all(
      ['a', 'b'].map(async (name) => (await acme.admin.patch(path, { name }, { 'if-match': both })).status),
    );
    expect(raced.toSorted((one, other) => one - other)).toEqual([200, 412]);
  });
});
