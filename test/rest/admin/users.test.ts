// /users: responses by status.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { problem } from '../../support/problems.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { restClient } from '../../support/rest-client.ts';
import { API, faults } from '../../support/callers.ts';
import { ID, NEW_PASSWORD, newUser, openAdministration, pagingOf, TIME } from './administration.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);

  const create = async (more: object = {}) => {
    const response = await acme.admin.post('/users', newUser(more));
    expect(response.status).toBe(201);
    return response;
  };

  it('POST: returns 201 with the account and a Location', async () => {
    const end = '2999-01-01T00:00:00+01:00';
    const request = newUser({ email: 'new@acme.test', accountExpiresAt: end });
    const response = await acme.admin.post('/users', request);
    expect(response.body).toEqual({
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
      emailVerified: false,
      factors: [],
      state: 'ENABLED',
    });
    const { id } = response.body;
    expect([response.status, response.headers.get('location')]).toEqual([201, `${API}/users/${id}`]);
    expect((await acme.admin.get(`/users/${id}`)).body).toEqual(response.body);
    expect(await acme.admin.post('/users', request)).toEqual(problem(409, 'conflict', `${API}/users`));
  });

  it.each<[what: string, body: object, ...props: string[]]>([
    ['nothing', {}, 'name', 'roles', 'username'],
    ['neither password nor invitation', newUser({ password: undefined }), 'password'],
    ['no username', newUser({ username: '' }), 'username'],
    ['a short password', newUser({ password: 'short' }), 'password'],
    ['a common password', newUser({ password: 'aaaaaaaaaaaaaaaa' }), 'password'],
    ['an unknown role', newUser({ roles: ['SALES', 'BOSS'] }), 'roles.1'],
    ['a role twice', newUser({ roles: ['SALES', 'SALES'] }), 'roles'],
    ['no roles', newUser({ roles: [] }), 'roles'],
    ['many roles', newUser({ roles: Array<string>(51).fill('SALES') }), 'roles'],
    ['no e-mail address', newUser({ email: 'nobody' }), 'email'],
    ['null for an e-mail address', newUser({ email: null }), 'email'],
    ['an invalid time', newUser({ accountExpiresAt: 'tomorrow' }), 'accountExpiresAt'],
    ['a computed member', newUser({ id: newId() }), 'id'],
    ['a member of a response', newUser({ disabled: true }), 'disabled'],
  ])('POST: returns 400 for %s', async (_what, body, ...props) => {
    const response = await acme.admin.post('/users', body);
    expect(response).toEqual(problem(400, 'validation-error', `${API}/users`));
    expect(faults(response)).toEqual(props);
  });

  it('POST: returns 403 for a role that the caller cannot grant', async () => {
    const response = await acme.admin.post('/users', newUser({ roles: ['SUPER_ADMIN'] }));
    expect(response).toEqual(problem(403, 'permission-denied', `${API}/users`));
  });

  it('GET lists in pages, searches and filters', async () => {
    const mark = newId();
    const ids: string[] = [];
    for (const roles of [['SALES'], ['FLORIST'], ['SALES']]) {
      ids.unshift((await create({ name: mark, roles })).body.id);
    }
    const find = async (query: string) => {
      const response = await acme.admin.get(`/users?query=${mark}${query}`);
      return [response.body.map(({ id }: { id: string }) => id), pagingOf(response)];
    };
    expect(await find('')).toEqual([ids, [3, 1, 20]]);
    expect(await find('&page=2&perPage=2')).toEqual([[ids[2]], [3, 2, 2]]);
    expect(await find('&role=FLORIST')).toEqual([[ids[1]], [1, 1, 20]]);
    await acme.admin.post(`/users/${ids[0]}/disable`);
    expect(await find('&disabled=true')).toEqual([[ids[0]], [1, 1, 20]]);
    expect(await find('&disabled=false&tenantId=acme')).toEqual([
      [ids[1], ids[2]],
      [2, 1, 20],
    ]);
    const all = (await acme.admin.get('/users')).body.length;
    expect((await acme.admin.get('/users?query=')).body).toHaveLength(all);
    for (const bad of ['role=BOSS', 'disabled=1', 'disabled=', 'q=x', 'query=a&query=b', 'perPage=101']) {
      expect([bad, (await acme.admin.get(`/users?${bad}`)).status]).toEqual([bad, 400]);
    }
  });

  it('PATCH changes the given members, and null clears them', async () => {
    const { id } = (await create({ email: 'old@acme.test' })).body;
    const path = `/users/${id}`;
    const changed = await acme.admin.patch(path, { name: ' Renamed ', credentialsExpireAt: '2999-01-01T00:00:00Z' });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { name: 'Renamed', email: 'old@acme.test', credentialsExpireAt: '2999-01-01T00:00:00.000Z' },
    ]);
    const removed = (await acme.admin.patch(path, { email: null, credentialsExpireAt: null })).body;
    expect([removed.name, 'email' in removed, 'credentialsExpireAt' in removed]).toEqual(['Renamed', false, false]);
    expect((await acme.admin.patch(path, {})).body).toEqual(removed);
    for (const [body, prop] of [
      [{ name: null }, 'name'],
      [{ name: '' }, 'name'],
      [{ email: 'nobody' }, 'email'],
      [{ roles: ['ADMIN'] }, 'roles'],
      [{ username: 'other' }, 'username'],
    ] as const) {
      expect([body, faults(await acme.admin.patch(path, body))]).toEqual([body, [prop]]);
    }
  });

  it('changes roles, password and state, and deletes', async () => {
    const { id, username } = (await create()).body;
    const rest = restClient(acme.world.deployment.url);
    const login = async (password: string) => (await rest.login({ username, password })).status;
    expect((await acme.admin.put(`/users/${id}/roles`, { roles: ['MANAGER'] })).body.heldRoles).toEqual(['MANAGER']);
    expect((await acme.admin.put(`/users/${id}/password`, { password: 'Quite another password' })).status).toBe(200);
    expect(await login('Quite another password')).toBe(200);
    expect((await acme.admin.post(`/users/${id}/disable`)).body.disabled).toBe(true);
    expect(await login('Quite another password')).toBe(401);
    expect((await acme.admin.post(`/users/${id}/enable`)).body.disabled).toBe(false);
    expect((await acme.admin.post(`/users/${id}/unlock`)).body.loginFailedCount).toBe(0);
    const deleted = await acme.admin.delete(`/users/${id}`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(await acme.admin.get(`/users/${id}`)).toEqual(problem(404, 'not-found', `${API}/users/${id}`));
  });

  it('returns 409 if an administrator disables, deletes or demotes itself', async () => {
    const path = `/users/${acme.admin.account.id}`;
    expect(await acme.admin.delete(path)).toEqual(problem(409, 'conflict', API + path));
    expect((await acme.admin.post(`${path}/disable`)).status).toBe(409);
    expect((await acme.admin.put(`${path}/roles`, { roles: ['SALES'] })).status).toBe(409);
    expect((await acme.admin.put(`${path}/password`, { password: NEW_PASSWORD })).status).toBe(409);
  });

  it('lists sessions, ends one and ends all', async () => {
    const { id, username } = (await create()).body;
    const rest = restClient(acme.world.deployment.url);
    for (let count = 0; count < 3; count += 1) await rest.login({ username, password: NEW_PASSWORD });
    const list = await acme.admin.get(`/users/${id}/sessions`);
    expect(pagingOf(list)).toEqual([3, 1, 20]);
    const [session] = list.body;
    expect(session).toEqual({
      id: ID,
      accountId: id,
      current: false,
      tenantId: 'acme',
      refreshTokenTransport: 'COOKIE',
      rememberMe: false,
      clientAddress: '127.0.0.1',
      createdAt: TIME,
      refreshedAt: TIME,
      expiresAt: TIME,
    });
    const other = (await create()).body.id;
    expect((await acme.admin.delete(`/users/${other}/sessions/${session.id}`)).status).toBe(404);
    expect((await acme.admin.delete(`/users/not-an-id/sessions/${session.id}`)).status).toBe(404);
    expect((await acme.admin.delete(`/users/${id}/sessions/${session.id}`)).status).toBe(204);
    expect((await acme.admin.delete(`/users/${id}/sessions/${session.id}`)).status).toBe(404);
    const ended = await acme.admin.delete(`/users/${id}/sessions`);
    expect([ended.status, ended.body]).toEqual([200, { revoked: 2 }]);
    expect((await acme.admin.get(`/users/${id}/sessions`)).body).toEqual([]);
  });
});
