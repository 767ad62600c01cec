// /tenants: responses by status.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { problem } from '../../support/problems.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { API, faults } from '../../support/callers.ts';
import { openAdministration, pagingOf, TIME } from './administration.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);

  const create = async (tenantId = `t-${newId()}`) => {
    const response = await acme.root.post('/tenants', { tenantId, name: ' Flowers ' });
    expect(response.status).toBe(201);
    return response;
  };

  it('POST: returns 201 with Location, 409 for an existing id, 400 for an invalid one', async () => {
    const { body, headers } = await create();
    expect(body).toEqual({ id: body.id, name: 'Flowers', status: 'ACTIVE', createdAt: TIME, loginDomains: [] });
    expect(headers.get('location')).toBe(`${API}/tenants/${body.id}`);
    expect((await acme.root.get(headers.get('location')!.slice(API.length))).body).toEqual(body);
    expect(await acme.root.post('/tenants', { tenantId: body.id, name: 'x' })).toEqual(
      problem(409, 'conflict', `${API}/tenants`),
    );
    expect(faults(await acme.root.post('/tenants', { tenantId: 'No Slug', name: 'a\u202eb' }))).toEqual([
      'name',
      'tenantId',
    ]);
  });

  it('GET lists in pages, searches and filters', async () => {
    const mark = newId();
    for (const letter of ['b', 'a', 'c']) await create(`${letter}-${mark}`);
    await acme.root.post(`/tenants/b-${mark}/suspend`);
    const list = await acme.root.get(`/tenants?query=${mark}&perPage=2`);
    expect([list.status, list.body.map(({ id }: { id: string }) => id[0]), pagingOf(list)]).toEqual([
      200,
      ['a', 'b'],
      [3, 1, 2],
    ]);
    expect(list.headers.get('link')).toContain('rel="next"');
    expect(list.headers.get('cache-control')).toBe('no-store');
    const suspended = await acme.root.get(`/tenants?query=${mark}&status=SUSPENDED`);
    expect(suspended.body).toMatchObject([{ id: `b-${mark}`, status: 'SUSPENDED' }]);
    expect((await acme.root.get('/tenants?status=suspended')).status).toBe(400);
  });

  it('suspend and activate return the tenant and need no body', async () => {
    const { id } = (await create()).body;
    expect((await acme.root.post(`/tenants/${id}/suspend`)).body).toMatchObject({ id, status: 'SUSPENDED' });
    expect((await acme.root.post(`/tenants/${id}/activate`)).body).toMatchObject({ id, status: 'ACTIVE' });
  });

  it('PUT login-domains replaces all of them', async () => {
    const { id } = (await create()).body;
    const [one, two] = [`${newId()}.test`, `${newId()}.test`].toSorted();
    const path = `/tenants/${id}/login-domains`;
    const { body } = await acme.root.put(path, { loginDomains: [two, one!.toUpperCase()] });
    expect(body.loginDomains).toEqual([one, two]);
    expect((await acme.root.put(path, { loginDomains: [] })).body.loginDomains).toEqual([]);
    for (const broken of [{}, { loginDomains: null }, { loginDomains: 'x' }]) {
      expect(faults(await acme.root.put(path, broken))).toEqual(['loginDomains']);
    }
    expect(faults(await acme.root.put(path, { loginDomains: ['no domain'] }))).toEqual(['loginDomains.0']);
  });
});
