// What the operations of administration answer: by endpoint and status.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/db/ids.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { DEPLOYMENTS } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { bearer, restClient, type Answer } from '../../support/rest-client.ts';
import { openWorld, type World } from '../../rpc/admin/world.ts';
import { API, caller, callerWith, faults, type Caller } from '../business/callers.ts';

const NEW_PASSWORD = 'A long enough password';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const ID = expect.stringMatching(/^[0-9a-f-]{36}$/);

const pagingOf = ({ headers }: Answer) =>
  ['x-total-count', 'x-page', 'x-per-page'].map((name) => Number(headers.get(name)));
const newUser = (more: object = {}) => ({
  username: `New-${newId()}@acme.test`,
  password: NEW_PASSWORD,
  name: ' New User ',
  roles: ['SALES', 'FLORIST'],
  ...more,
});

describe.each(DEPLOYMENTS)('$engine over $transport', (kind) => {
  let world: World;
  let root: Caller;
  let admin: Caller;

  beforeAll(async () => {
    world = await openWorld(kind);
    root = await caller(world.deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    admin = await caller(world.deployment, { roles: ['ADMIN'] });
  });
  afterAll(() => world?.close());

  describe('tenants', () => {
    const create = async (tenantId = `t-${newId()}`) => {
      const answer = await root.post('/tenants', { tenantId, name: ' Flowers ' });
      expect(answer.status).toBe(201);
      return answer;
    };

    it('POST 201 with Location, 409 for a taken id, 400 for a bad one', async () => {
      const { body, headers } = await create();
      expect(body).toEqual({ id: body.id, name: 'Flowers', status: 'ACTIVE', createdAt: TIME, loginDomains: [] });
      expect(headers.get('location')).toBe(`${API}/tenants/${body.id}`);
      expect((await root.get(headers.get('location')!.slice(API.length))).body).toEqual(body);
      expect(await root.post('/tenants', { tenantId: body.id, name: 'x' })).toEqual(
        problem(409, 'conflict', `${API}/tenants`),
      );
      expect(faults(await root.post('/tenants', { tenantId: 'No Slug', name: 'a\u202eb' }))).toEqual([
        'name',
        'tenantId',
      ]);
    });

    it('GET lists in pages, searches and filters', async () => {
      const mark = newId();
      for (const letter of ['b', 'a', 'c']) await create(`${letter}-${mark}`);
      await root.post(`/tenants/b-${mark}/suspend`);
      const list = await root.get(`/tenants?query=${mark}&perPage=2`);
      expect([list.status, list.body.map(({ id }: { id: string }) => id[0]), pagingOf(list)]).toEqual([
        200,
        ['a', 'b'],
        [3, 1, 2],
      ]);
      expect(list.headers.get('link')).toContain('rel="next"');
      expect(list.headers.get('cache-control')).toBe('no-store');
      const suspended = await root.get(`/tenants?query=${mark}&status=SUSPENDED`);
      expect(suspended.body).toMatchObject([{ id: `b-${mark}`, status: 'SUSPENDED' }]);
      expect((await root.get('/tenants?status=suspended')).status).toBe(400);
    });

    it('suspend and activate answer the tenant and take no body', async () => {
      const { id } = (await create()).body;
      expect((await root.post(`/tenants/${id}/suspend`)).body).toMatchObject({ id, status: 'SUSPENDED' });
      expect((await root.post(`/tenants/${id}/activate`)).body).toMatchObject({ id, status: 'ACTIVE' });
    });

    it('PUT login-domains replaces all of them', async () => {
      const { id } = (await create()).body;
      const [one, two] = [`${newId()}.test`, `${newId()}.test`].toSorted();
      const path = `/tenants/${id}/login-domains`;
      const { body } = await root.put(path, { loginDomains: [two, one!.toUpperCase()] });
      expect(body.loginDomains).toEqual([one, two]);
      expect((await root.put(path, { loginDomains: [] })).body.loginDomains).toEqual([]);
      for (const broken of [{}, { loginDomains: null }, { loginDomains: 'x' }]) {
        expect(faults(await root.put(path, broken))).toEqual(['loginDomains']);
      }
      expect(faults(await root.put(path, { loginDomains: ['no domain'] }))).toEqual(['loginDomains.0']);
    });
  });

  describe('users', () => {
    const create = async (more: object = {}) => {
      const answer = await admin.post('/users', newUser(more));
      expect(answer.status).toBe(201);
      return answer;
    };

    it('POST 201 with the account inlined, and a Location', async () => {
      const end = '2999-01-01T00:00:00+01:00';
      const request = newUser({ email: 'new@acme.test', accountExpiresAt: end });
      const answer = await admin.post('/users', request);
      expect(answer.body).toEqual({
        id: ID,
        username: request.username.toLowerCase(),
        name: 'New User',
        email: 'new@acme.test',
        tenantId: 'acme',
        roles: ['ROLE_SALES', 'ROLE_FLORIST'],
        createdAt: TIME,
        heldRoles: ['SALES', 'FLORIST'],
        disabled: false,
        accountExpiresAt: '2998-12-31T23:00:00.000Z',
        loginFailedCount: 0,
      });
      const { id } = answer.body;
      expect([answer.status, answer.headers.get('location')]).toEqual([201, `${API}/users/${id}`]);
      expect((await admin.get(`/users/${id}`)).body).toEqual(answer.body);
      expect(await admin.post('/users', request)).toEqual(problem(409, 'conflict', `${API}/users`));
    });

    it.each<[what: string, body: object, ...props: string[]]>([
      ['nothing', {}, 'name', 'password', 'roles', 'username'],
      ['no username', newUser({ username: '' }), 'username'],
      ['a short password', newUser({ password: 'short' }), 'password'],
      ['a common password', newUser({ password: 'aaaaaaaaaaaaaaaa' }), 'password'],
      ['an unknown role', newUser({ roles: ['SALES', 'BOSS'] }), 'roles.1'],
      ['a role twice', newUser({ roles: ['SALES', 'SALES'] }), 'roles'],
      ['no roles', newUser({ roles: [] }), 'roles'],
      ['many roles', newUser({ roles: Array<string>(51).fill('SALES') }), 'roles'],
      ['no e-mail address', newUser({ email: 'nobody' }), 'email'],
      ['null for an e-mail address', newUser({ email: null }), 'email'],
      ['a time that is none', newUser({ accountExpiresAt: 'tomorrow' }), 'accountExpiresAt'],
      ['a computed member', newUser({ id: newId() }), 'id'],
      ['a member of a response', newUser({ disabled: true }), 'disabled'],
    ])('POST 400: %s', async (_what, body, ...props) => {
      const answer = await admin.post('/users', body);
      expect(answer).toEqual(problem(400, 'validation-error', `${API}/users`));
      expect(faults(answer)).toEqual(props);
    });

    it('POST 403 for a role that the caller cannot grant', async () => {
      const answer = await admin.post('/users', newUser({ roles: ['SUPER_ADMIN'] }));
      expect(answer).toEqual(problem(403, 'permission-denied', `${API}/users`));
    });

    it('GET lists in pages, searches and filters', async () => {
      const mark = newId();
      const ids: string[] = [];
      for (const roles of [['SALES'], ['FLORIST'], ['SALES']]) {
        ids.unshift((await create({ name: mark, roles })).body.id);
      }
      const find = async (query: string) => {
        const answer = await admin.get(`/users?query=${mark}${query}`);
        return [answer.body.map(({ id }: { id: string }) => id), pagingOf(answer)];
      };
      expect(await find('')).toEqual([ids, [3, 1, 20]]);
      expect(await find('&page=2&perPage=2')).toEqual([[ids[2]], [3, 2, 2]]);
      expect(await find('&role=FLORIST')).toEqual([[ids[1]], [1, 1, 20]]);
      await admin.post(`/users/${ids[0]}/disable`);
      expect(await find('&disabled=true')).toEqual([[ids[0]], [1, 1, 20]]);
      expect(await find('&disabled=false&tenantId=acme')).toEqual([
        [ids[1], ids[2]],
        [2, 1, 20],
      ]);
      for (const bad of ['role=BOSS', 'disabled=1', 'disabled=', 'q=x', 'query=a&query=b', 'perPage=101']) {
        expect([bad, (await admin.get(`/users?${bad}`)).status]).toEqual([bad, 400]);
      }
    });

    it('PATCH changes what it has, and null removes', async () => {
      const { id } = (await create({ email: 'old@acme.test' })).body;
      const path = `/users/${id}`;
      const changed = await admin.patch(path, { name: ' Renamed ', credentialsExpireAt: '2999-01-01T00:00:00Z' });
      expect([changed.status, changed.body]).toMatchObject([
        200,
        { name: 'Renamed', email: 'old@acme.test', credentialsExpireAt: '2999-01-01T00:00:00.000Z' },
      ]);
      const removed = (await admin.patch(path, { email: null, credentialsExpireAt: null })).body;
      expect([removed.name, 'email' in removed, 'credentialsExpireAt' in removed]).toEqual(['Renamed', false, false]);
      expect((await admin.patch(path, {})).body).toEqual(removed);
      for (const [body, prop] of [
        [{ name: null }, 'name'],
        [{ name: '' }, 'name'],
        [{ email: 'nobody' }, 'email'],
        [{ roles: ['ADMIN'] }, 'roles'],
        [{ username: 'other' }, 'username'],
      ] as const) {
        expect([body, faults(await admin.patch(path, body))]).toEqual([body, [prop]]);
      }
    });

    it('roles, password, state and deletion', async () => {
      const { id, username } = (await create()).body;
      const rest = restClient(world.deployment.url);
      const login = async (password: string) => (await rest.login({ username, password })).status;
      expect((await admin.put(`/users/${id}/roles`, { roles: ['MANAGER'] })).body.heldRoles).toEqual(['MANAGER']);
      expect((await admin.put(`/users/${id}/password`, { password: 'Quite another password' })).status).toBe(200);
      expect(await login('Quite another password')).toBe(200);
      expect((await admin.post(`/users/${id}/disable`)).body.disabled).toBe(true);
      expect(await login('Quite another password')).toBe(401);
      expect((await admin.post(`/users/${id}/enable`)).body.disabled).toBe(false);
      expect((await admin.post(`/users/${id}/unlock`)).body.loginFailedCount).toBe(0);
      const deleted = await admin.delete(`/users/${id}`);
      expect([deleted.status, deleted.text]).toEqual([204, '']);
      expect(await admin.get(`/users/${id}`)).toEqual(problem(404, 'not-found', `${API}/users/${id}`));
    });

    it('409 for what an administrator cannot do to itself', async () => {
      const path = `/users/${admin.account.id}`;
      expect(await admin.delete(path)).toEqual(problem(409, 'conflict', API + path));
      expect((await admin.post(`${path}/disable`)).status).toBe(409);
      expect((await admin.put(`${path}/roles`, { roles: ['SALES'] })).status).toBe(409);
      expect((await admin.put(`${path}/password`, { password: NEW_PASSWORD })).status).toBe(409);
    });

    it('lists sessions, ends one and ends all', async () => {
      const { id, username } = (await create()).body;
      const rest = restClient(world.deployment.url);
      for (let count = 0; count < 3; count += 1) await rest.login({ username, password: NEW_PASSWORD });
      const list = await admin.get(`/users/${id}/sessions`);
      expect(pagingOf(list)).toEqual([3, 1, 20]);
      const [session] = list.body;
      expect(session).toEqual({
        id: ID,
        accountId: id,
        tenantId: 'acme',
        credentialForm: 'COOKIE',
        rememberMe: false,
        clientAddress: '127.0.0.1',
        createdAt: TIME,
        refreshedAt: TIME,
        expiresAt: TIME,
      });
      const other = (await create()).body.id;
      expect((await admin.delete(`/users/${other}/sessions/${session.id}`)).status).toBe(404);
      expect((await admin.delete(`/users/not-an-id/sessions/${session.id}`)).status).toBe(404);
      expect((await admin.delete(`/users/${id}/sessions/${session.id}`)).status).toBe(204);
      expect((await admin.delete(`/users/${id}/sessions/${session.id}`)).status).toBe(404);
      const ended = await admin.delete(`/users/${id}/sessions`);
      expect([ended.status, ended.body]).toEqual([200, { revoked: 2 }]);
      expect((await admin.get(`/users/${id}/sessions`)).body).toEqual([]);
    });
  });

  describe('account', () => {
    const logIn = async (username: string) => {
      const rest = restClient(world.deployment.url);
      const { accessToken } = (await rest.login({ username, password: PASSWORD })).body;
      return callerWith(world.deployment.url, admin.account, bearer(accessToken));
    };

    it('lists its own sessions, ends one of them, and all others but the current one', async () => {
      const { username } = await world.seed({ roles: ['TENANT_USER'] });
      const [first, second, third, fourth] = [
        await logIn(username),
        await logIn(username),
        await logIn(username),
        await logIn(username),
      ];
      const list = await first.get('/account/sessions');
      expect(pagingOf(list)).toEqual([4, 1, 20]);
      const newest = list.body[0].id;
      expect((await admin.delete(`/account/sessions/${newest}`)).status).toBe(404);
      expect((await first.delete(`/account/sessions/${newest}`)).status).toBe(204);
      expect((await fourth.get('/account/sessions')).status).toBe(401);
      const ended = await second.delete('/account/sessions');
      expect([ended.status, ended.body]).toEqual([200, { revoked: 2 }]);
      const outcomes = [first, second, third].map(async (by) => (await by.get('/account/sessions')).status);
      expect(await Promise.all(outcomes)).toEqual([401, 200, 401]);
      expect((await second.delete('/account/sessions')).body).toEqual({ revoked: 0 });
    });

    it('PUT password: 204, 401 for a wrong current password, 400 for a bad new one', async () => {
      const { username } = await world.seed({ roles: ['TENANT_USER'] });
      const by = await logIn(username);
      const path = '/account/password';
      expect(faults(await by.put(path, { currentPassword: PASSWORD, newPassword: 'short' }))).toEqual(['newPassword']);
      expect(faults(await by.put(path, { currentPassword: '', newPassword: NEW_PASSWORD }))).toEqual([
        'currentPassword',
      ]);
      const wrong = await by.put(path, { currentPassword: 'wrong', newPassword: NEW_PASSWORD });
      expect(wrong.status).toBe(401);
      expect(wrong.headers.get('content-type')).toBe('application/problem+json');
      const changed = await by.put(path, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
      expect([changed.status, changed.text]).toEqual([204, '']);
      expect((await by.get('/account/sessions')).status).toBe(401);
    });
  });

  describe('service accounts', () => {
    const create = async () => {
      const answer = await admin.post('/service-accounts', { clientId: newId(), name: 'Sync', roles: ['MANAGER'] });
      expect(answer.status).toBe(201);
      return answer;
    };
    const grant = async (clientId: string, clientSecret: string) => {
      const rest = restClient(world.deployment.url);
      const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      const answer = await rest.send('POST', `${API}/auth/token`, {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      });
      return answer.status;
    };

    it('POST 201 shows the secret, this once and to no cache', async () => {
      const { body, headers } = await create();
      const { serviceAccount, clientSecret } = body;
      expect(body).toEqual({
        serviceAccount: {
          id: ID,
          clientId: serviceAccount.clientId,
          name: 'Sync',
          tenantId: 'acme',
          roles: ['MANAGER'],
          disabled: false,
          createdAt: TIME,
          secrets: [{ id: ID, createdAt: TIME }],
        },
        clientSecret: expect.stringMatching(/^[\w-]{43}$/),
      });
      expect(headers.get('location')).toBe(`${API}/service-accounts/${serviceAccount.id}`);
      expect(headers.get('cache-control')).toBe('no-store');
      const shown = await admin.get(`/service-accounts/${serviceAccount.id}`);
      expect([shown.body, shown.text.includes(clientSecret)]).toEqual([serviceAccount, false]);
      expect(await grant(serviceAccount.clientId, clientSecret)).toBe(200);
      const taken = { clientId: serviceAccount.clientId, name: 'x', roles: ['SALES'] };
      expect((await admin.post('/service-accounts', taken)).status).toBe(409);
      expect((await root.post('/service-accounts', { ...taken, clientId: newId() })).status).toBe(400);
    });

    it('rotates a secret: POST 201, no third one, and the old one expires', async () => {
      const { serviceAccount, clientSecret } = (await create()).body;
      const { id, clientId } = serviceAccount;
      const path = `/service-accounts/${id}/secrets`;
      const added = await admin.post(path);
      expect(added.status).toBe(201);
      expect(added.body).toEqual({ secret: { id: ID, createdAt: TIME }, clientSecret: expect.any(String) });
      expect(added.headers.get('location')).toBe(`${API}${path}/${added.body.secret.id}`);
      expect(added.headers.get('cache-control')).toBe('no-store');
      expect(await admin.post(path, {})).toEqual(problem(409, 'conflict', API + path));
      const list = await admin.get(path);
      expect(pagingOf(list)).toEqual([2, 1, 20]);
      expect(list.body[0]).toMatchObject({ id: added.body.secret.id });
      expect(pagingOf(await admin.get(`${path}?page=2&perPage=1`))).toEqual([2, 2, 1]);
      const old = list.body[1].id;
      const expiry = `${path}/${old}/expire`;
      expect(faults(await admin.post(expiry, { expiresAt: '2020-01-01T00:00:00Z' }))).toEqual(['expiresAt']);
      expect(faults(await admin.post(expiry, { expiresAt: null }))).toEqual(['expiresAt']);
      const later = await admin.post(expiry, { expiresAt: '2999-01-01T00:00:00Z' });
      expect([later.status, later.body]).toMatchObject([200, { id: old, expiresAt: '2999-01-01T00:00:00.000Z' }]);
      expect((await admin.post(expiry)).status).toBe(200);
      expect((await admin.post(expiry)).status).toBe(404);
      expect([await grant(clientId, clientSecret), await grant(clientId, added.body.clientSecret)]).toEqual([401, 200]);
    });

    it('disable, enable, list and filter', async () => {
      const { serviceAccount, clientSecret } = (await create()).body;
      const { id, clientId } = serviceAccount;
      expect((await admin.post(`/service-accounts/${id}/disable`)).body.disabled).toBe(true);
      expect(await grant(clientId, clientSecret)).toBe(401);
      const list = await admin.get(`/service-accounts?query=${clientId}&disabled=true`);
      expect([list.body.map((one: { id: string }) => one.id), pagingOf(list)]).toEqual([[id], [1, 1, 20]]);
      expect((await admin.post(`/service-accounts/${id}/enable`)).body.disabled).toBe(false);
      expect(await grant(clientId, clientSecret)).toBe(200);
    });
  });

  it('GET /audit-records: events with their details, filtered, newest first', async () => {
    const { id } = (await admin.post('/users', newUser())).body;
    await admin.put(`/users/${id}/roles`, { roles: ['MANAGER'] });
    const list = await admin.get(`/audit-records?accountId=${id}`);
    expect(pagingOf(list)).toEqual([2, 1, 20]);
    expect(list.body[0]).toEqual({
      id: ID,
      tenantId: 'acme',
      at: TIME,
      event: 'account.roles-changed',
      accountId: id,
      username: expect.any(String),
      actorId: admin.account.id,
      clientAddress: '127.0.0.1',
      requestId: expect.any(String),
      details: { from: 'SALES,FLORIST', to: 'MANAGER', sessionsEnded: 0 },
    });
    const count = async (query: string) => pagingOf(await admin.get(`/audit-records?accountId=${id}${query}`))[0];
    expect(await count('&events=account.created')).toBe(1);
    expect(await count('&events=account.created&events=account.roles-changed')).toBe(2);
    expect(await count(`&actorId=${admin.account.id}&from=2020-01-01`)).toBe(2);
    expect(await count('&until=2020-01-01T00:00:00Z')).toBe(0);
    for (const bad of ['accountId=x', 'from=yesterday', `events=${Array(52).join('&events=')}`, 'tenantId=No%20Slug']) {
      expect([bad, (await admin.get(`/audit-records?${bad}`)).status]).toEqual([bad, 400]);
    }
  });

  it('GET /signing-keys and POST /signing-keys/rotate: 200, then 409', async () => {
    const before = await root.get('/signing-keys');
    const rotated = await root.post('/signing-keys/rotate');
    expect([rotated.status, rotated.body]).toEqual([
      200,
      {
        kid: expect.any(String),
        algorithm: 'ES256',
        state: 'PUBLISHED',
        createdAt: TIME,
        signsFrom: TIME,
      },
    ]);
    const after = await root.get('/signing-keys?perPage=1');
    expect(pagingOf(after)).toEqual([pagingOf(before)[0]! + 1, 1, 1]);
    expect(after.body).toEqual([rotated.body]);
    expect(await root.post('/signing-keys/rotate')).toEqual(problem(409, 'conflict', `${API}/signing-keys/rotate`));
  });

  describe('POST /credentials/explain', () => {
    it('200: says check by check why a credential is accepted or refused', async () => {
      const { username } = await world.seed();
      const { status, body } = await admin.post('/credentials/explain', { username });
      expect([status, body]).toMatchObject([200, { accepted: true, accountId: ID, tenantId: 'acme' }]);
      expect(body.checks[0]).toMatchObject({ kind: expect.stringMatching(/^[A-Z]+$/), passed: true });
      const unknown = await admin.post('/credentials/explain', { bearerToken: 'x.y.z' });
      expect(unknown.body.accepted).toBe(false);
      expect('accountId' in unknown.body).toBe(false);
    });

    it.each([
      {},
      { username: 'a', clientId: 'b' },
      { username: '' },
      { username: null },
      { username: 1 },
      { password: 'x' },
      { username: 'a', id: 'b' },
    ])('400: %j', async (body) => {
      const answer = await admin.post('/credentials/explain', body);
      expect(answer).toEqual(problem(400, 'validation-error', `${API}/credentials/explain`));
    });
  });
});
