// /service-accounts: responses by status.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { problem } from '../../support/problems.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { restClient } from '../../support/rest-client.ts';
import { API, faults } from '../../support/callers.ts';
import { ID, openAdministration, pagingOf, TIME } from './administration.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);

  const create = async () => {
    const response = await acme.admin.post('/service-accounts', {
      clientId: newId(),
      name: 'Sync',
      roles: ['MANAGER'],
    });
    expect(response.status).toBe(201);
    return response;
  };
  const grant = async (clientId: string, clientSecret: string) => {
    const rest = restClient(acme.world.deployment.url);
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const response = await rest.send('POST', `${API}/auth/token`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
    return response.status;
  };

  it('POST: returns 201 with the secret, only once and with no-store', async () => {
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
    const shown = await acme.admin.get(`/service-accounts/${serviceAccount.id}`);
    expect([shown.body, shown.text.includes(clientSecret)]).toEqual([serviceAccount, false]);
    expect(await grant(serviceAccount.clientId, clientSecret)).toBe(200);
    const taken = { clientId: serviceAccount.clientId, name: 'x', roles: ['SALES'] };
    expect((await acme.admin.post('/service-accounts', taken)).status).toBe(409);
    expect((await acme.root.post('/service-accounts', { ...taken, clientId: newId() })).status).toBe(400);
  });

  it('rotates a secret: a second one, never a third, and the old one expires', async () => {
    const { serviceAccount, clientSecret } = (await create()).body;
    const { id, clientId } = serviceAccount;
    const path = `/service-accounts/${id}/secrets`;
    const added = await acme.admin.post(path);
    expect(added.status).toBe(201);
    expect(added.body).toEqual({ secret: { id: ID, createdAt: TIME }, clientSecret: expect.any(String) });
    expect(added.headers.get('location')).toBe(`${API}${path}/${added.body.secret.id}`);
    expect(added.headers.get('cache-control')).toBe('no-store');
    const conflict = (detail: string) => problem(409, 'conflict', API + path, detail);
    expect(await acme.admin.post(path, {})).toEqual(conflict('Two secrets exist already; end one first'));
    const list = await acme.admin.get(path);
    expect(pagingOf(list)).toEqual([2, 1, 20]);
    expect(list.body[0]).toMatchObject({ id: added.body.secret.id });
    expect(pagingOf(await acme.admin.get(`${path}?page=2&perPage=1`))).toEqual([2, 2, 1]);
    const old = list.body[1].id;
    const expiry = `${path}/${old}/expire`;
    expect(faults(await acme.admin.post(expiry, { expiresAt: '2020-01-01T00:00:00Z' }))).toEqual(['expiresAt']);
    expect(faults(await acme.admin.post(expiry, { expiresAt: null }))).toEqual(['expiresAt']);
    const later = await acme.admin.post(expiry, { expiresAt: '2999-01-01T00:00:00Z' });
    expect([later.status, later.body]).toMatchObject([200, { id: old, expiresAt: '2999-01-01T00:00:00.000Z' }]);
    const until = 'Two secrets exist already; one ends at 2999-01-01T00:00:00.000Z';
    expect(await acme.admin.post(path, {})).toEqual(conflict(until));
    expect((await acme.admin.post(expiry)).status).toBe(200);
    expect((await acme.admin.post(expiry)).status).toBe(404);
    expect([await grant(clientId, clientSecret), await grant(clientId, added.body.clientSecret)]).toEqual([401, 200]);
  });

  it('disables, enables, lists and filters', async () => {
    const { serviceAccount, clientSecret } = (await create()).body;
    const { id, clientId } = serviceAccount;
    expect((await acme.admin.post(`/service-accounts/${id}/disable`)).body.disabled).toBe(true);
    expect(await grant(clientId, clientSecret)).toBe(401);
    const list = await acme.admin.get(`/service-accounts?query=${clientId}&disabled=true`);
    expect([list.body.map((one: { id: string }) => one.id), pagingOf(list)]).toEqual([[id], [1, 1, 20]]);
    expect((await acme.admin.post(`/service-accounts/${id}/enable`)).body.disabled).toBe(false);
    expect(await grant(clientId, clientSecret)).toBe(200);
  });

  it('PATCH: changes name and roles', async () => {
    const { id } = (await create()).body.serviceAccount;
    const path = `/service-accounts/${id}`;
    const changed = await acme.admin.patch(path, { name: 'Other', roles: ['SALES', 'FLORIST'] });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Other', roles: ['SALES', 'FLORIST'] } });
    expect((await acme.admin.get(path)).body).toEqual(changed.body);
    for (const roles of [[], null, ['SALES', 'SALES'], ['nobody']])
      expect((await acme.admin.patch(path, { roles })).status).toBe(400);
    expect((await acme.admin.get(path)).body).toEqual(changed.body);
  });

  it('DELETE: returns 204, then 404', async () => {
    const { serviceAccount, clientSecret } = (await create()).body;
    const path = `/service-accounts/${serviceAccount.id}`;
    expect(await acme.admin.delete(path)).toMatchObject({ status: 204, text: '' });
    expect(await acme.admin.delete(path)).toEqual(problem(404, 'not-found', API + path));
    expect(await acme.admin.get(path)).toMatchObject({ status: 404 });
    expect(await grant(serviceAccount.clientId, clientSecret)).toBe(401);
  });
});
