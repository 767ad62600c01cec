// /roles: responses by status.
import { beforeEach, describe, expect, it } from 'vitest';
import { API, caller, etagOf, faults, type Caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { seedSession } from '../../support/sessions.ts';
import { newUser, openAdministration, pagingOf, TIME } from './administration.ts';

const MANY = Array.from({ length: 10_000 }, (_, index) => `p${index}:read`);

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);
  let count = 0;
  const newName = () => `ROLE_${(count += 1)}`;
  const create = async (body: object, by: Caller = acme.admin) => {
    const response = await by.post('/roles', body);
    expect(response).toMatchObject({ status: 201 });
    return response;
  };
  /** A user with these roles. */
  const holderOf = (...roles: string[]) => caller(acme.world.deployment, { roles });
  const may = async (by: Caller, permission: string) =>
    (await by.get(`/auth/verify?permission=${permission}`)).status === 200;

  it('POST: returns 201 with the role, its ETag and Location', async () => {
    const [name, inherited] = [newName(), newName()];
    await create({ name: inherited, permissions: ['a:b', 'MANAGE_ROLES', 'READ_AUDIT', 'MANAGE_SESSIONS'] });
    const body = {
      name,
      description: ' Reads invoices ',
      permissions: ['invoices:read', 'READ_AUDIT'],
      inherits: [inherited],
    };
    const created = await create(body);
    expect(created.body).toEqual({
      name,
      description: 'Reads invoices',
      tenantId: 'acme',
      builtIn: false,
      permissions: ['invoices:read', 'READ_AUDIT'],
      inherits: [inherited],
      effectivePermissions: ['MANAGE_SESSIONS', 'READ_AUDIT', 'MANAGE_ROLES', 'a:b', 'invoices:read'],
      accountCount: 0,
      createdAt: TIME,
      updatedAt: TIME,
    });
    expect(created.headers.get('location')).toBe(`${API}/roles/${name}`);
    expect(etagOf(created)).toBe('"1"');
    const shown = await acme.admin.get(`/roles/${name}`);
    expect([shown.status, shown.body, etagOf(shown)]).toEqual([200, created.body, '"1"']);
    const user = await acme.admin.post('/users', newUser({ roles: [name, 'SALES'] }));
    expect(user.body).toMatchObject({
      heldRoles: [name, 'SALES'],
      roles: [`ROLE_${name}`, `ROLE_${inherited}`, 'ROLE_SALES'],
    });
    expect((await acme.admin.get(`/roles/${name}`)).body.accountCount).toBe(1);
    expect((await acme.root.get(`/roles/${name}`)).status).toBe(404);
    expect((await acme.root.get(`/roles/${name}?tenantId=acme`)).body).toMatchObject({ name, accountCount: 1 });
  });

  it('POST by a SUPER_ADMIN with a tenant: the Location names the tenant', async () => {
    const name = newName();
    const created = await create({ name, tenantId: 'acme', permissions: ['a:b'] }, acme.root);
    const location = created.headers.get('location')!;
    expect(location).toBe(`${API}/roles/${name}?tenantId=acme`);
    expect((await acme.root.get(location.slice(API.length))).body).toEqual(created.body);
  });

  it('GET lists built-in roles, then the others by name, in pages', async () => {
    const name = `Z${newName()}`;
    await create({ name });
    const first = await acme.admin.get('/roles?perPage=11');
    expect(first.body.map((role: { name: string }) => role.name)).toEqual([
      'SUPER_ADMIN',
      'TENANT_ADMIN',
      'ADMIN',
      'OWNER',
      'MANAGER',
      'SALES',
      'ACCOUNTANT',
      'PURCHASER',
      'FLORIST',
      'DELIVERY',
      'TENANT_USER',
    ]);
    expect(first.body.every((role: { builtIn: boolean }) => role.builtIn)).toBe(true);
    expect(first.body[2]).toMatchObject({ name: 'ADMIN', inherits: ['OWNER'], accountCount: expect.any(Number) });
    const searched = await acme.admin.get(`/roles?query=${name.toLowerCase()}`);
    expect([searched.body.length, pagingOf(searched)]).toEqual([1, [1, 1, 20]]);
    expect((await acme.admin.get('/roles?perPage=0')).status).toBe(400);
    expect((await acme.admin.get('/roles?tenantId=globex')).body.errorCode).toBe('tenant-mismatch');
  });

  it('an unknown tenant has no roles', async () => {
    const listed = await acme.root.get('/roles?tenantId=unknown');
    expect([listed.status, listed.body, pagingOf(listed)]).toEqual([200, [], [0, 1, 20]]);
    for (const name of ['SALES', newName()]) {
      expect((await acme.root.get(`/roles/${name}?tenantId=unknown`)).status).toBe(404);
      expect((await acme.root.patch(`/roles/${name}?tenantId=unknown`, { description: 'x' })).status).toBe(404);
    }
    expect((await acme.root.get('/users?tenantId=unknown')).body).toEqual([]);
  });

  it.each<[problem: string, body: object, ...props: string[]]>([
    ['nothing', {}, 'name'],
    ['a lower-case name', { name: 'clerk' }, 'name'],
    ['a built-in name', { name: 'SALES' }, 'name'],
    ['a long name', { name: `A${'B'.repeat(63)}` }, 'name'],
    ['an unknown built-in permission', { name: 'NEW', permissions: ['a:b', 'FLY'] }, 'permissions.1'],
    ['a permission of the service', { name: 'NEW', permissions: ['MANAGE_TENANTS'] }, 'permissions.0'],
    ['a malformed permission', { name: 'NEW', permissions: ['a:b', 'a::b', 'Ab'] }, 'permissions.1', 'permissions.2'],
    ['10,000 permissions', { name: 'NEW', permissions: MANY }, 'permissions'],
    ['201 own permissions', { name: 'NEW', permissions: MANY.slice(0, 201) }, 'permissions'],
    ['a permission twice', { name: 'NEW', permissions: ['a:b', 'a:b'] }, 'permissions'],
    ['an unknown role', { name: 'NEW', inherits: ['SALES', 'GARDENER'] }, 'inherits.1'],
    ['SUPER_ADMIN', { name: 'NEW', inherits: ['SUPER_ADMIN'] }, 'inherits.0'],
    ['itself', { name: 'NEW', inherits: ['NEW'] }, 'inherits'],
    ['a long description', { name: 'NEW', description: 'x'.repeat(1_001) }, 'description'],
    ['another type', { name: 'NEW', permissions: 'a:b' }, 'permissions'],
    ['an unknown field', { name: 'NEW', color: 'red' }, 'color'],
  ])('POST: returns 400 for %s, and creates nothing', async (_problem, body, ...props) => {
    const response = await acme.admin.post('/roles', body);
    expect([response.status, response.body.errorCode, faults(response)]).toEqual([400, 'validation-error', props]);
    expect((await acme.admin.get('/roles/NEW')).status).toBe(404);
  });

  it('POST: names each violation once, and says how a name must look', async () => {
    const { body } = await acme.admin.post('/roles', { name: 'clerk', permissions: ['Invoices:read', 'FLY'] });
    const isPermission = 'must be a built-in permission, or one of your own, such as invoices:read';
    expect(
      body.violations.map(({ message, props }: { message: string; props: string[] }) => [props.join('.'), message]),
    ).toEqual([
      ['name', 'must match [A-Z][A-Z0-9_]{0,62}'],
      ['permissions.0', isPermission],
      ['permissions.1', isPermission],
    ]);
  });

  it('returns 400 for cycles and depth beyond 8, with the field, and changes nothing', async () => {
    const names = Array.from({ length: 9 }, newName);
    for (const [index, name] of names.entries()) await create({ name, inherits: names.slice(index - 1, index) });
    const tooDeep = await acme.admin.post('/roles', { name: 'NEW', inherits: [names[8]] });
    expect([tooDeep.status, faults(tooDeep)]).toEqual([400, ['inherits']]);
    const cycle = await acme.admin.patch(`/roles/${names[0]}`, { inherits: [names[8]] });
    expect([cycle.status, faults(cycle)]).toEqual([400, ['inherits']]);
    const lengthened = await acme.admin.patch(`/roles/${names[0]}`, { inherits: ['SALES'] });
    expect([lengthened.status, faults(lengthened)]).toEqual([400, ['inherits']]);
    expect((await acme.admin.get(`/roles/${names[0]}`)).body.inherits).toEqual([]);
  });

  it('returns 409 for names that are taken', async () => {
    const [own, foreign, shared] = [newName(), newName(), newName()];
    await create({ name: own });
    await create({ name: foreign, tenantId: 'globex' }, acme.root);
    await create({ name: shared }, acme.root);
    await create({ name: foreign });
    const taken = problem(409, 'conflict', `${API}/roles`);
    expect(await acme.admin.post('/roles', { name: own })).toEqual(taken);
    expect(await acme.admin.post('/roles', { name: shared })).toEqual(taken);
    for (const name of [own, foreign, shared]) expect(await acme.root.post('/roles', { name })).toEqual(taken);
    const denied = problem(403, 'permission-denied', `${API}/roles`);
    for (const name of [own, shared])
      expect(await acme.admin.post('/roles', { name, permissions: ['platform:x'] })).toEqual(denied);
  });

  it('PATCH changes the named fields, in force at the next request', async () => {
    const name = newName();
    await create({ name, description: 'x', permissions: ['a:b'] });
    const holder = await holderOf(name);
    expect([await may(holder, 'a:b'), await may(holder, 'c:d')]).toEqual([true, false]);
    const changed = await acme.admin.patch(`/roles/${name}`, { permissions: ['c:d'], description: null });
    expect([changed.status, etagOf(changed)]).toEqual([200, '"2"']);
    expect(changed.body).toMatchObject({ permissions: ['c:d'], effectivePermissions: ['c:d'] });
    expect(changed.body).not.toHaveProperty('description');
    expect([await may(holder, 'a:b'), await may(holder, 'c:d')]).toEqual([false, true]);
    expect((await holder.get('/roles')).status).toBe(403);
    await acme.admin.patch(`/roles/${name}`, { inherits: ['TENANT_ADMIN'] });
    expect((await holder.get('/roles')).status).toBe(200);
  });

  it('returns 412 for an ETag of before, and changes nothing', async () => {
    const name = newName();
    await create({ name });
    await acme.admin.patch(`/roles/${name}`, { description: 'first' });
    const path = `/roles/${name}`;
    const json = { 'content-type': 'application/json' };
    const stale = { 'if-match': '"1"' };
    const late = await acme.admin.send('PATCH', path, '{"description":"second"}', { ...json, ...stale });
    expect(late).toEqual(problem(412, 'precondition-failed', `${API}${path}`));
    expect(await acme.admin.send('DELETE', path, undefined, stale)).toEqual(
      problem(412, 'precondition-failed', `${API}${path}`),
    );
    expect((await acme.admin.get(path)).body.description).toBe('first');
    const current = await acme.admin.send('PATCH', path, '{"description":"third"}', { ...json, 'if-match': '"2"' });
    expect([current.status, etagOf(current)]).toEqual([200, '"3"']);
    expect((await acme.admin.send('DELETE', path, undefined, { 'if-match': '"3"' })).status).toBe(204);
  });

  it('DELETE: returns 409 while an account holds it or a role inherits it, else 204', async () => {
    const [name, heir] = [newName(), newName()];
    await create({ name, permissions: ['a:b'] });
    await create({ name: heir, inherits: [name] });
    const refused = problem(409, 'conflict', `${API}/roles/${name}`);
    expect(await acme.admin.delete(`/roles/${name}`)).toEqual(refused);
    expect((await acme.admin.delete(`/roles/${heir}`)).status).toBe(204);
    const user = (await acme.admin.post('/users', newUser({ roles: ['SALES', name] }))).body;
    expect(await acme.admin.delete(`/roles/${name}`)).toEqual(refused);
    await acme.admin.put(`/users/${user.id}/roles`, { roles: ['SALES'] });
    expect((await acme.admin.delete(`/roles/${name}`)).status).toBe(204);
    expect((await acme.admin.delete(`/roles/${name}`)).status).toBe(404);
    const gone = await acme.admin.put(`/users/${user.id}/roles`, { roles: [name] });
    expect([gone.status, faults(gone)]).toEqual([400, ['roles.0']]);
  });

  it('returns 409 for a change of a built-in role, and 403 for one of a role for every tenant', async () => {
    const shared = newName();
    await create({ name: shared, permissions: ['a:b'] }, acme.root);
    for (const [name, status] of [
      ['SALES', 409],
      [shared, 403],
    ] as const) {
      expect((await acme.admin.get(`/roles/${name}`)).status).toBe(200);
      expect((await acme.admin.patch(`/roles/${name}`, { description: 'x' })).status).toBe(status);
      expect((await acme.admin.delete(`/roles/${name}`)).status).toBe(status);
    }
    expect((await acme.root.patch('/roles/SALES', { description: 'x' })).status).toBe(409);
  });

  it('has roles for every tenant, which a SUPER_ADMIN changes', async () => {
    const name = newName();
    await create({ name, permissions: ['tickets:read', 'platform:support'] }, acme.root);
    const holders = await Promise.all(
      ['acme', 'globex'].map((tenantId) => caller(acme.world.deployment, { tenantId, roles: [name] })),
    );
    for (const holder of holders) expect(await may(holder, 'tickets:read,platform:support'.split(',')[1]!)).toBe(true);
    expect((await acme.admin.post('/users', newUser({ roles: [name] }))).status).toBe(403);
    expect((await acme.root.post('/users', newUser({ roles: [name], tenantId: 'acme' }))).status).toBe(201);
    await acme.root.patch(`/roles/${name}`, { permissions: ['tickets:write'] });
    for (const holder of holders)
      expect([await may(holder, 'tickets:read'), await may(holder, 'tickets:write')]).toEqual([false, true]);
    expect((await acme.root.delete(`/roles/${name}`)).status).toBe(409);
    const ofAcme = `/roles/${name}?tenantId=acme`;
    expect((await acme.root.get(ofAcme)).status).toBe(200);
    expect((await acme.root.patch(ofAcme, { permissions: [] })).status).toBe(404);
    expect((await acme.root.delete(ofAcme)).status).toBe(404);
    expect((await acme.admin.patch(ofAcme, { permissions: [] })).status).toBe(403);
    const heir = newName();
    await create({ name: heir, inherits: [name] });
    expect((await acme.admin.get(`/roles/${heir}`)).body.effectivePermissions).toEqual(['tickets:write']);
  });

  describe('an administrator with an own role', () => {
    let clerk: Caller;
    beforeEach(async () => {
      const name = newName();
      await create({
        name,
        permissions: ['MANAGE_USERS', 'MANAGE_ROLES', 'MANAGE_CLIENTS', 'MANAGE_SESSIONS', 'invoices:read'],
      });
      clerk = await holderOf(name);
    });
    const permissionDenied = (path: string) => problem(403, 'permission-denied', `${API}${path}`);

    it('cannot create, change, give or delete a role with a permission that it lacks', async () => {
      const name = newName();
      for (const role of [
        { permissions: ['invoices:write'] },
        { inherits: ['OWNER'] },
        { permissions: ['MANAGE_POLICY'] },
      ])
        expect(await clerk.post('/roles', { name, ...role })).toEqual(permissionDenied('/roles'));
      await create({ name, permissions: ['invoices:read', 'invoices:write'] });
      for (const change of [{ description: 'x' }, { permissions: ['invoices:read'] }])
        expect(await clerk.patch(`/roles/${name}`, change)).toEqual(permissionDenied(`/roles/${name}`));
      expect(await clerk.delete(`/roles/${name}`)).toEqual(permissionDenied(`/roles/${name}`));
      expect(await clerk.post('/users', newUser({ roles: [name] }))).toEqual(permissionDenied('/users'));
      expect(await clerk.post('/service-accounts', { clientId: newName(), name: 'x', roles: [name] })).toEqual(
        permissionDenied('/service-accounts'),
      );
      expect((await acme.admin.get(`/roles/${name}`)).body).toMatchObject({
        permissions: ['invoices:read', 'invoices:write'],
      });
      const own = newName();
      await create({ name: own, permissions: ['invoices:read'] }, clerk);
      const user = await clerk.post('/users', newUser({ roles: [own] }));
      expect(user.status).toBe(201);
      for (const roles of [['OWNER'], [own, name], ['ADMIN'], ['SUPER_ADMIN']]) {
        const path = `/users/${user.body.id}/roles`;
        expect(await clerk.put(path, { roles })).toEqual(permissionDenied(path));
      }
      expect(await clerk.patch(`/roles/${own}`, { permissions: ['invoices:write'] })).toEqual(
        permissionDenied(`/roles/${own}`),
      );
    });

    it('cannot take over an account that holds more', async () => {
      const account = await acme.world.seed({ roles: ['ADMIN'] });
      const { id } = account;
      const session = await seedSession(acme.world.deployment, account);
      const client = (await acme.admin.post('/service-accounts', { clientId: newName(), name: 'x', roles: ['OWNER'] }))
        .body.serviceAccount;
      const cases: readonly [method: string, path: string, body?: object][] = [
        ['PUT', `/users/${id}/password`, { password: 'A long enough password' }],
        ['PUT', `/users/${id}/roles`, { roles: ['ADMIN'] }],
        ['PATCH', `/users/${id}`, { name: 'Other' }],
        ['PATCH', `/users/${id}`, { email: 'new@acme.test' }],
        ['PATCH', `/users/${id}`, { accountExpiresAt: '2030-01-01T00:00:00.000Z' }],
        ['PATCH', `/users/${id}`, { credentialsExpireAt: '2030-01-01T00:00:00.000Z' }],
        ['POST', `/users/${id}/disable`],
        ['POST', `/users/${id}/enable`],
        ['POST', `/users/${id}/unlock`],
        ['DELETE', `/users/${id}/sessions`],
        ['DELETE', `/users/${id}/sessions/${session.id}`],
        ['DELETE', `/users/${id}/factors`],
        ['DELETE', `/users/${id}`],
        ['PATCH', `/service-accounts/${client.id}`, { name: 'Other' }],
        ['POST', `/service-accounts/${client.id}/api-keys`, { label: 'x' }],
        ['POST', `/service-accounts/${client.id}/secrets`, {}],
        ['POST', `/service-accounts/${client.id}/secrets/${client.secrets[0].id}/expire`, {}],
        ['POST', `/service-accounts/${client.id}/enable`],
        ['POST', `/service-accounts/${client.id}/disable`],
      ];
      for (const [method, path, body] of cases) {
        const headers = body && { 'content-type': 'application/json' };
        const response = await clerk.send(method, path, body && JSON.stringify(body), headers);
        expect([method, path, response]).toEqual([method, path, permissionDenied(path)]);
      }
    });
  });

  it('lists the permissions that are held in the scope of an introspection', async () => {
    const name = newName();
    await create({ name, permissions: ['READ_AUDIT', 'z:z', 'a:b'] });
    const client = (await acme.admin.post('/service-accounts', { clientId: newName(), name: 'x', roles: [name] })).body;
    const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
    const identity = { client_id: client.serviceAccount.clientId, client_secret: client.clientSecret };
    const post = (path: string, fields: Record<string, string>) =>
      acme.admin.send('POST', path, form({ ...identity, ...fields }), {
        authorization: '',
        'content-type': 'application/x-www-form-urlencoded',
      });
    const granted = await post('/auth/token', { grant_type: 'client_credentials' });
    const introspected = await post('/auth/introspect', { token: granted.body.access_token });
    expect(introspected.body).toMatchObject({ active: true, scope: 'READ_AUDIT a:b z:z', roles: [`ROLE_${name}`] });
  });

  it('records changes in the audit log', async () => {
    const name = newName();
    await create({ name, permissions: ['a:b'] });
    await acme.admin.patch(`/roles/${name}`, { permissions: ['c:d'] });
    await acme.admin.delete(`/roles/${name}`);
    const { body } = await acme.admin.get(
      '/audit-records?events=role.created&events=role.changed&events=role.deleted&perPage=3',
    );
    expect(body.map(({ event, details }: { event: string; details: object }) => [event, details])).toEqual([
      ['role.deleted', { role: name }],
      ['role.changed', { role: name, fields: 'permissions', added: 'c:d', removed: 'a:b' }],
      ['role.created', { role: name, permissions: 'a:b', inherits: '' }],
    ]);
  });
});
