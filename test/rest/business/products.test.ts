// Each endpoint of products: responses and stored data.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { restClient } from '../../support/rest-client.ts';
import { API, caller, etagOf, faults, type Caller } from '../../support/callers.ts';
import { addProduct, countsOf, newProduct, pathOf, tallyOf } from '../../support/shop/products.ts';

const FULL = {
  sku: 'ROSE-RED',
  name: 'Red rose',
  description: 'Long stem.\nVery red.',
  category: 'Roses',
  price: 2.5,
  currency: 'CHF',
  stock: 7,
  reorderLevel: 10,
  status: 'INACTIVE',
};
const DEFAULTS = { currency: 'EUR', stock: 0, reorderLevel: 0, status: 'ACTIVE', images: [] };

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let manager: Caller;

  beforeAll(async () => {
    deployment = await deploy(kind);
    manager = await caller(deployment);
  });
  afterAll(() => deployment?.close());

  const now = () => new Date(deployment.clock.now()).toISOString();
  const read = async ({ id }: { readonly id: string }) => {
    const response = await manager.get(pathOf({ id }));
    return { ...response.body, etag: etagOf(response) };
  };

  describe('POST /products', () => {
    it('returns 201 with the product, its Location and its ETag', async () => {
      const response = await manager.post('/products', FULL);
      const { id } = response.body;
      expect(response.status).toBe(201);
      expect(response.body).toEqual({
        ...FULL,
        id,
        tenantId: 'acme',
        images: [],
        createdAt: now(),
        updatedAt: now(),
      });
      expect(response.headers.get('location')).toBe(`${API}/products/${id}`);
      expect(response.headers.get('cache-control')).toBe('private, no-cache');
      expect(etagOf(response)).toBe('"1"');
      expect(await read({ id })).toEqual({ ...response.body, etag: '"1"' });
    });

    it('sets defaults for missing and null members, and omits members without a value', async () => {
      const unset = Object.fromEntries(['description', 'category', ...Object.keys(DEFAULTS)].map((key) => [key, null]));
      for (const given of [{}, unset]) {
        const required = newProduct();
        const { id, createdAt, updatedAt, ...fields } = await addProduct(manager, { ...required, ...given });
        expect(fields).toEqual({ ...DEFAULTS, ...required, tenantId: 'acme' });
        expect([id, createdAt, updatedAt]).toEqual([expect.any(String), now(), now()]);
      }
    });

    it('returns a Location relative to the path that the client used', async () => {
      const headers = { 'content-type': 'application/json', ...manager.headers };
      const path = `/shop/a%20b${API}/products`;
      const response = await restClient(deployment.url).send('POST', `${path}?x=1`, {
        headers,
        body: JSON.stringify(newProduct()),
      });
      expect(response.headers.get('location')).toBe(`${path}/${response.body.id}`);
    });

    it('trims texts', async () => {
      const given = { sku: ' \tTRIMMED ', name: '\u00a0A  name\n', category: ' Roses ', description: '  x' };
      expect(await addProduct(manager, given)).toMatchObject({
        sku: 'TRIMMED',
        name: 'A  name',
        category: 'Roses',
        description: 'x',
      });
    });

    it('returns 409 if the same SKU exists in the tenant', async () => {
      const { sku, id } = await addProduct(manager, { sku: 'TAKEN' });
      for (const taken of [sku, ` ${sku} `]) {
        const response = await manager.post('/products', newProduct({ sku: taken }));
        expect(response).toEqual(problem(409, 'conflict', `${API}/products`, 'Another product has this SKU'));
      }
      expect((await manager.post('/products', newProduct({ sku: 'taken' }))).status).toBe(201);
      const elsewhere = await caller(deployment, { tenantId: 'elsewhere' });
      expect((await elsewhere.post('/products', newProduct({ sku }))).status).toBe(201);
      await manager.delete(pathOf({ id }));
      expect((await manager.post('/products', newProduct({ sku }))).status).toBe(201);
    });

    it('accepts exactly one of parallel requests with the same SKU, also for a new tenant', async () => {
      const by = await caller(deployment, { tenantId: 'race' });
      const bodies = Array.from({ length: 20 }, (_, index) => newProduct({ sku: `S-${index % 4}` }));
      const responses = await Promise.all(bodies.map((body) => by.post('/products', body)));
      expect(tallyOf(responses)).toEqual({ 201: 4, 409: 16 });
      const list = await by.get('/products?sort=sku');
      expect(list.headers.get('x-total-count')).toBe('4');
      expect(list.body.map(({ sku }: { sku: string }) => sku)).toEqual(['S-0', 'S-1', 'S-2', 'S-3']);
    });
  });

  describe('GET /products/:id', () => {
    it.each([
      ['"1"', 304],
      ['W/"1"', 304],
      ['"0", "1"', 304],
      ['*', 304],
      ['"2"', 200],
      ['1', 200],
      ['garbage', 200],
    ])('If-None-Match: %s', async (tag, status) => {
      const product = await addProduct(manager);
      const response = await manager.get(pathOf(product), { 'if-none-match': tag });
      expect([response.status, etagOf(response)]).toEqual([status, '"1"']);
      expect(response.headers.get('cache-control')).toBe('private, no-cache');
      expect(response.text === '').toBe(status === 304);
    });

    it('returns the same headers and no body for HEAD', async () => {
      const product = await addProduct(manager);
      const url = API + pathOf(product);
      const response = await restClient(deployment.url).send('HEAD', url, { headers: manager.headers });
      expect(response).toMatchObject({ status: 200, text: '' });
      expect(etagOf(response)).toBe('"1"');
      expect(Number(response.headers.get('content-length'))).toBe(JSON.stringify(product).length);
    });
  });

  describe('PUT /products/:id', () => {
    it('replaces all members except status, images and computed ones', async () => {
      const product = await addProduct(manager, { ...FULL, sku: 'PUT-1' });
      deployment.clock.advance(1000);
      const given = { sku: 'PUT-2', name: 'Other', price: 0, status: 'ARCHIVED', images: [{ any: 1 }], id: newId() };
      const response = await manager.put(pathOf(product), { ...given, createdAt: 'never', updatedAt: 0 });
      expect([response.status, etagOf(response)]).toEqual([200, '"2"']);
      expect(response.body).toEqual({
        ...DEFAULTS,
        id: product.id,
        tenantId: 'acme',
        sku: 'PUT-2',
        name: 'Other',
        price: 0,
        status: 'INACTIVE',
        createdAt: product.createdAt,
        updatedAt: now(),
      });
      expect(await read(product)).toEqual({ ...response.body, etag: '"2"' });
    });

    it.each(['sku', 'name', 'price'])('returns 400 without %s', async (field) => {
      const product = await addProduct(manager);
      const { [field]: _left, ...body } = newProduct();
      const response = await manager.put(pathOf(product), body);
      expect([response.status, faults(response)]).toEqual([400, [field]]);
      expect(await read(product)).toEqual({ ...product, etag: '"1"' });
    });
  });

  describe('PATCH /products/:id', () => {
    it('changes the given members, clears those that are null, and keeps the rest', async () => {
      const product = await addProduct(manager, { ...FULL, sku: 'PATCH-1' });
      deployment.clock.advance(1000);
      const change = { price: 3, category: null, stock: null, currency: null, status: null };
      const response = await manager.patch(pathOf(product), change);
      expect([response.status, etagOf(response)]).toEqual([200, '"2"']);
      const { category: _cleared, ...left } = product;
      expect(response.body).toEqual({
        ...left,
        price: 3,
        stock: 0,
        currency: 'EUR',
        status: 'ACTIVE',
        updatedAt: now(),
      });
      expect(await read(product)).toEqual({ ...response.body, etag: '"2"' });
    });

    it.each(Object.entries({ ...FULL, sku: 'PATCHED', status: 'ARCHIVED' }))(
      'changes only %s',
      async (field, value) => {
        const product = await addProduct(manager, { description: 'x', category: 'y' });
        await manager.patch(pathOf(product), { [field]: field === 'sku' ? `${value}-${kind.transport}` : value });
        const { [field]: changed, ...left } = await read(product);
        const { [field]: _before, ...before } = product;
        expect(String(changed)).toContain(String(value));
        expect(left).toEqual({ ...before, etag: '"2"' });
      },
    );

    it.each([{}, { id: newId(), createdAt: 1, updatedAt: null, tenantId: 'acme' }])(
      '%j changes nothing',
      async (body) => {
        const product = await addProduct(manager);
        deployment.clock.advance(1000);
        const response = await manager.patch(pathOf(product), body);
        expect([response.status, etagOf(response), response.body]).toEqual([200, '"1"', product]);
        expect((await manager.patch(pathOf(product), body, { 'if-match': '"2"' })).status).toBe(412);
        expect(await read(product)).toEqual({ ...product, etag: '"1"' });
      },
    );

    it('searches find the new texts and no longer the old ones', async () => {
      const product = await addProduct(manager, { name: 'oldword', category: 'keptword' });
      await manager.patch(pathOf(product), { name: 'newword' });
      const found = async (q: string) => (await manager.get(`/products?q=${q}`)).body.length;
      expect([await found('oldword'), await found('newword'), await found('keptword')]).toEqual([0, 1, 1]);
    });

    it('returns 409 if another product has the SKU, and changes nothing', async () => {
      const [one, other] = [await addProduct(manager), await addProduct(manager)];
      for (const send of [manager.put, manager.patch]) {
        const response = await send(pathOf(one), newProduct({ sku: other.sku, stock: 5 }));
        expect(response).toEqual(problem(409, 'conflict', API + pathOf(one), 'Another product has this SKU'));
      }
      expect(await read(one)).toEqual({ ...one, etag: '"1"' });
      expect((await manager.patch(pathOf(one), { sku: one.sku })).status).toBe(200);
    });
  });

  describe('PATCH /products/:id/status', () => {
    it.each(['ACTIVE', 'INACTIVE', 'ARCHIVED'])('sets %s from any status', async (status) => {
      for (const before of ['ACTIVE', 'INACTIVE', 'ARCHIVED']) {
        const product = await addProduct(manager, { status: before });
        const response = await manager.patch(`${pathOf(product)}/status`, { status });
        expect([response.status, etagOf(response), response.body]).toEqual([200, '"2"', { ...product, status }]);
      }
    });

    it.each([{}, { status: null }, { status: 'active' }, { status: 'SOLD' }, { status: 1 }, { status: ['ACTIVE'] }])(
      'returns 400 for %j',
      async (body) => {
        const product = await addProduct(manager);
        const response = await manager.patch(`${pathOf(product)}/status`, body);
        expect([response.status, faults(response)]).toEqual([400, ['status']]);
        expect((await manager.patch(`${pathOf(product)}/status`, { status: 'ACTIVE', price: 1 })).status).toBe(400);
        expect(await read(product)).toEqual({ ...product, etag: '"1"' });
      },
    );
  });

  describe('DELETE /products/:id', () => {
    it('returns 204 once, then 404', async () => {
      const product = await addProduct(manager);
      expect(await manager.delete(pathOf(product))).toMatchObject({ status: 204, text: '' });
      for (const again of [await manager.delete(pathOf(product)), await manager.get(pathOf(product))]) {
        expect(again).toEqual(problem(404, 'not-found', API + pathOf(product)));
      }
    });

    it('returns 204 to exactly one of parallel deletions', async () => {
      const product = await addProduct(manager);
      const responses = await Promise.all(Array.from({ length: 10 }, () => manager.delete(pathOf(product))));
      expect(tallyOf(responses)).toEqual({ 204: 1, 404: 9 });
    });

    it('ignores a Content-Type without a body', async () => {
      const product = await addProduct(manager);
      expect((await manager.delete(pathOf(product), { 'content-type': 'text/plain' })).status).toBe(204);
    });
  });

  it('keeps the counts by status correct, also under parallel changes', async () => {
    const by = await caller(deployment, { tenantId: 'counted' });
    const statuses = ['ACTIVE', 'INACTIVE', 'ARCHIVED'];
    const statusOf = (index: number) => statuses[index % 3]!;
    const added = await Promise.all(
      Array.from({ length: 6 }, (_, index) => addProduct(by, { status: statusOf(index) })),
    );
    const responses = await Promise.all(
      added.flatMap((product, index) => [
        by.patch(`${pathOf(product)}/status`, { status: statusOf(index + 1) }),
        by.patch(pathOf(product), { status: statusOf(index + 2) }),
        ...(index % 2 === 0 ? [by.delete(pathOf(product)), by.delete(pathOf(product))] : []),
        by.post('/products', newProduct({ sku: product.sku })),
      ]),
    );
    expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
    const { counted, actual } = await countsOf(deployment, 'counted');
    expect(counted).toEqual(actual);
    const total = (query: string) => by.get(`/products${query}`).then(({ headers }) => headers.get('x-total-count'));
    expect(await total('')).toBe(await total('?lowStock=true'));
  });
});
