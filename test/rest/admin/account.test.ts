// /account: responses by status.
import { describe, expect, it } from 'vitest';
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { callerWith, faults } from '../../support/callers.ts';
import { IS_SHOP_SERVED } from '../../support/shop-served.ts';
import { NEW_PASSWORD, openAdministration, pagingOf } from './administration.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);

  const logIn = async (username: string) => {
    const rest = restClient(acme.world.deployment.url);
    const { accessToken } = (await rest.login({ username, password: PASSWORD })).body;
    return callerWith(acme.world.deployment.url, acme.admin.account, bearer(accessToken));
  };

  it('GET: returns the own account with its permissions, and its state', async () => {
    const { account, session } = await acme.world.actor({
      roles: ['SALES'],
      email: 'sales@mail.test',
      credentialsExpireAt: Date.UTC(2040, 0, 1),
    });
    const by = callerWith(acme.world.deployment.url, account, bearer(session.accessToken));
    const { status, body, headers } = await by.get('/account');
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      id: account.id,
      username: account.username,
      name: account.name,
      email: 'sales@mail.test',
      tenantId: 'acme',
      roles: ['ROLE_SALES'],
      createdAt: new Date(account.createdAt).toISOString(),
      heldRoles: ['SALES'],
      tenantName: 'acme',
      permissions: IS_SHOP_SERVED ? expect.arrayContaining(['READ_ORDERS', 'WRITE_ORDERS', 'USE_FILES']) : [],
      emailVerified: false,
      secondFactorRequired: false,
      credentialsExpireAt: '2040-01-01T00:00:00.000Z',
    });
    expect(body.permissions).not.toContain('MANAGE_USERS');
  });

  it('GET: returns what an administrator, a SUPER_ADMIN and a service account hold', async () => {
    const admin = (await acme.admin.get('/account')).body;
    expect(admin).toMatchObject({ tenantName: 'acme', heldRoles: acme.admin.account.roles });
    expect(admin.permissions).toEqual(expect.arrayContaining(['MANAGE_USERS', 'READ_AUDIT', 'MANAGE_SESSIONS']));
    const root = (await acme.root.get('/account')).body;
    expect(root.permissions).toEqual(expect.arrayContaining(['MANAGE_TENANTS', 'MANAGE_SIGNING_KEYS']));
    expect(Object.keys(root)).not.toContain('tenantName');
  });

  it("lists the caller's sessions, ends one, and ends all except the current one", async () => {
    const { username } = await acme.world.seed({ roles: ['TENANT_USER'] });
    const [first, second, third, fourth] = [
      await logIn(username),
      await logIn(username),
      await logIn(username),
      await logIn(username),
    ];
    const list = await first.get('/account/sessions');
    expect(pagingOf(list)).toEqual([4, 1, 20]);
    const newest = list.body[0].id;
    expect((await acme.admin.delete(`/account/sessions/${newest}`)).status).toBe(404);
    expect((await first.delete(`/account/sessions/${newest}`)).status).toBe(204);
    expect((await fourth.get('/account/sessions')).status).toBe(401);
    const ended = await second.delete('/account/sessions');
    expect([ended.status, ended.body]).toEqual([200, { revoked: 2 }]);
    const outcomes = [first, second, third].map(async (by) => (await by.get('/account/sessions')).status);
    expect(await Promise.all(outcomes)).toEqual([401, 200, 401]);
    expect((await second.delete('/account/sessions')).body).toEqual({ revoked: 0 });
  });

  it('sessions show the browser of their login, without characters that change how it is shown', async () => {
    const { username, id } = await acme.world.seed({ roles: ['TENANT_USER'] });
    const rest = restClient(acme.world.deployment.url);
    const shown = [];
    for (const agent of ['Mozilla/5.0 (X11; Linux x86_64)', 'x'.repeat(600), 'a\u0085b\tc', '\t']) {
      const { body } = await rest.login({ username, password: PASSWORD }, { 'user-agent': agent });
      expect(body).toHaveProperty('accessToken');
      const list = await acme.admin.get(`/users/${id}/sessions?perPage=1`);
      shown.push(list.body[0].userAgent);
    }
    expect(shown).toEqual(['Mozilla/5.0 (X11; Linux x86_64)', 'x'.repeat(512), 'abc', undefined]);
    const { session } = acme.world.clients;
    const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY;
    await session.login({
      username,
      password: PASSWORD,
      rememberMe: false,
      refreshTokenTransport,
      userAgent: ' \u202Egod\u2066 \uFEFF',
    });
    expect((await acme.admin.get(`/users/${id}/sessions?perPage=1`)).body[0].userAgent).toBe('god');
    const long = { username, password: PASSWORD, rememberMe: false, refreshTokenTransport, userAgent: 'x'.repeat(513) };
    await expect(session.login(long)).rejects.toMatchObject({ status: { reason: 'VALIDATION_ERROR' } });
  });

  it('PUT password: returns 204, 401 for a wrong current password, 400 for an invalid new one', async () => {
    const { username } = await acme.world.seed({ roles: ['TENANT_USER'] });
    const by = await logIn(username);
    const path = '/account/password';
    expect(faults(await by.put(path, { currentPassword: PASSWORD, newPassword: 'short' }))).toEqual(['newPassword']);
    expect(faults(await by.put(path, { currentPassword: '', newPassword: NEW_PASSWORD }))).toEqual(['currentPassword']);
    const wrong = await by.put(path, { currentPassword: 'wrong', newPassword: NEW_PASSWORD });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('content-type')).toBe('application/problem+json');
    const changed = await by.put(path, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
    expect([changed.status, changed.text]).toEqual([204, '']);
    expect((await by.get('/account/sessions')).status).toBe(401);
  });
});
