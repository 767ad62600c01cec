// POST /orders and GET /orders/:id.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { addGateway } from '../../support/gateways.ts';
import { problem } from '../../support/problems.ts';
import { restClient } from '../../support/rest-client.ts';
import { API, callerWith, etagOf, faults } from '../../support/callers.ts';
import { addCustomer } from '../../support/shop/customers.ts';
import { newOrder, openShop, pathOf, placeOrder, stockOf, type Shop } from '../../support/shop/orders.ts';
import { addProduct } from '../../support/shop/products.ts';

const DETAILS = {
  paymentMethod: 'BANK_TRANSFER',
  deliveryDate: '2028-02-29',
  deliveryAddress: '1 Main Street\nSpringfield',
  note: 'Ring twice. 🌹',
};

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let shop: Shop;

  beforeAll(async () => {
    deployment = await deploy(kind);
    shop = await openShop(deployment);
  });
  afterAll(() => deployment?.close());

  const now = () => new Date(deployment.clock.now()).toISOString();
  const read = async (order: { readonly id: string }) => (await shop.manager.get(pathOf(order))).body;
  const product = (fields: Record<string, unknown> = {}) => addProduct(shop.manager, { stock: 100, ...fields });
  const line = ({ id }: { readonly id: string }, quantity = 1) => ({ productId: id, quantity });

  describe('POST /orders', () => {
    it('returns 201 with the order, its Location and its ETag', async () => {
      const rose = await product({ name: 'Rose', price: 19.99 });
      const vase = await product({ name: 'Vase', price: 0.1 });
      const body = newOrder(shop, { items: [line(rose, 3), line(vase, 3)], ...DETAILS });
      const response = await shop.manager.post('/orders', body);
      const { id, number } = response.body;
      expect(response.status).toBe(201);
      expect(response.body).toEqual({
        id,
        tenantId: 'acme',
        number,
        customerId: shop.customerId,
        items: [
          { productId: rose.id, name: 'Rose', quantity: 3, unitPrice: 19.99, lineTotal: 59.97 },
          { productId: vase.id, name: 'Vase', quantity: 3, unitPrice: 0.1, lineTotal: 0.3 },
        ],
        total: 60.27,
        currency: 'EUR',
        status: 'NEW',
        ...DETAILS,
        productionPhotos: [],
        deliveryPhotos: [],
        createdAt: now(),
        updatedAt: now(),
      });
      // As JSON numbers, without what binary fractions would add.
      expect(response.text).toMatch(/"unitPrice":0\.1,"lineTotal":0\.3\}\],"total":60\.27,/);
      expect(response.headers.get('location')).toBe(`${API}/orders/${id}`);
      expect(response.headers.get('cache-control')).toBe('private, no-cache');
      expect(etagOf(response)).toBe('"1"');
      expect((await shop.manager.get(pathOf({ id }))).text).toBe(response.text);
      expect([await stockOf(shop, rose.id), await stockOf(shop, vase.id)]).toEqual([97, 97]);
    });

    it('returns a Location below the context path', async () => {
      const gateway = await addGateway(deployment, { 'app.http.context-path': '/shop' });
      const by = callerWith(`${gateway.url}/shop`, shop.manager.account, shop.manager.headers);
      const response = await by.post('/orders', newOrder(shop));
      expect(response.headers.get('location')).toBe(`/shop${API}/orders/${response.body.id}`);
      await gateway.close();
    });

    it('omits members without a value, also if null was sent', async () => {
      for (const nothing of [{}, Object.fromEntries(Object.keys(DETAILS).map((name) => [name, null]))]) {
        const order = await placeOrder(shop, nothing);
        for (const name of Object.keys(DETAILS)) expect(order).not.toHaveProperty(name);
      }
    });

    it('combines lines of the same product at the place of the first', async () => {
      const [a, b] = [await product(), await product()];
      const { items } = await placeOrder(shop, { items: [line(a, 1), line(b, 2), line(a, 9_998 - 9_900)] });
      expect(items).toMatchObject([line(a, 99), line(b, 2)]);
    });

    it('calculates in hundredths, up to the maximum sums', async () => {
      const dear = await product({ price: 9_999_999.99, stock: 9_999 });
      const cheap = await product({ price: 0.01 });
      const order = await placeOrder(shop, { items: [line(dear, 9_999), line(cheap)] });
      expect(order.items[0]).toMatchObject({ unitPrice: 9_999_999.99, lineTotal: 99_989_999_900.01 });
      expect(order.total).toBe(99_989_999_900.02);
      expect((await shop.manager.delete(pathOf(order))).status).toBe(204);
    });

    it('numbers the orders of a tenant', async () => {
      const first = await placeOrder(shop);
      const second = await placeOrder(shop);
      const elsewhere = await placeOrder(await openShop(deployment, { tenantId: 'numbers' }));
      expect([second.number, elsewhere.number]).toEqual([first.number + 1, 1]);
    });

    it('keeps the names and prices at the time of the order', async () => {
      const thing = await product({ name: 'Before', price: 1 });
      const order = await placeOrder(shop, { items: [line(thing, 2)] });
      await shop.manager.patch(`/products/${thing.id}`, { name: 'After', price: 3 });
      expect(await read(order)).toEqual(order);
      await shop.manager.delete(`/products/${thing.id}`);
      expect(await read(order)).toEqual(order);
    });

    it('ignores computed members of any value', async () => {
      const body = newOrder(shop, {
        items: [{ productId: shop.productId, quantity: 2, name: 1, unitPrice: -1, lineTotal: null }],
        id: 'x',
        number: {},
        total: 'much',
        currency: 1,
        status: 'LOST',
        productionPhotos: 'none',
        deliveryPhotos: [{ x: 1 }],
        createdAt: 0,
        updatedAt: [],
      });
      const response = await shop.manager.post('/orders', body);
      expect(response).toMatchObject({ status: 201, body: { total: 5, currency: 'EUR', status: 'NEW' } });
      expect(response.body.createdAt).toBe(now());
    });

    it('returns 409 if the stock is insufficient, and reserves nothing', async () => {
      const [plenty, few] = [await product(), await product({ stock: 2 })];
      const items = [line(plenty, 2), line(few, 3)];
      const response = await shop.manager.post('/orders', newOrder(shop, { items }));
      expect(response).toEqual(problem(409, 'insufficient-stock', `${API}/orders`));
      expect([await stockOf(shop, plenty.id), await stockOf(shop, few.id)]).toEqual([100, 2]);
    });

    it.each(['INACTIVE', 'ARCHIVED'])('returns 409 for a product that is %s', async (status) => {
      const { id } = await product({ status });
      const response = await shop.manager.post('/orders', newOrder(shop, { items: [line({ id })] }));
      expect(response).toEqual(problem(409, 'conflict', `${API}/orders`));
      expect(await stockOf(shop, id)).toBe(100);
    });

    it('returns 409 for a BLOCKED customer, but not for an INACTIVE one', async () => {
      const to = async (status: string) => {
        const { id: customerId } = await addCustomer(shop.manager, { status });
        return shop.manager.post('/orders', newOrder({ ...shop, customerId }));
      };
      expect(await to('BLOCKED')).toEqual(problem(409, 'conflict', `${API}/orders`));
      expect((await to('INACTIVE')).status).toBe(201);
    });

    it('returns 400 for products of several currencies', async () => {
      const items = [line(await product()), line(await product({ currency: 'CHF' }))];
      const response = await shop.manager.post('/orders', newOrder(shop, { items }));
      expect(response).toEqual(problem(400, 'validation-error', `${API}/orders`));
      expect(faults(response)).toEqual(['items']);
    });

    it("returns the same 400 for references to missing records and to another tenant's records", async () => {
      const foreign = await openShop(deployment, { tenantId: 'globex' });
      const overlong = 'x'.repeat(40_000);
      for (const { customerId, productId } of [
        foreign,
        { customerId: newId(), productId: newId() },
        { customerId: '', productId: '' },
        { customerId: overlong, productId: overlong },
      ]) {
        const items = [line({ id: shop.productId }), line({ id: productId })];
        const response = await shop.manager.post('/orders', { customerId, items });
        expect(response.body.violations).toEqual([
          { message: 'names no record', format: 'reference', props: ['customerId'] },
          { message: 'names no record', format: 'reference', props: ['items', '1', 'productId'] },
        ]);
      }
    });
  });

  describe('GET /orders/:id', () => {
    it('returns 304 if If-None-Match contains the version', async () => {
      const order = await placeOrder(shop);
      const known = await shop.manager.get(pathOf(order), { 'if-none-match': '"0", W/"1"' });
      expect([known.status, known.text, etagOf(known)]).toEqual([304, '', '"1"']);
      expect((await shop.manager.get(pathOf(order), { 'if-none-match': '"2"' })).status).toBe(200);
    });

    it('returns the same headers for HEAD', async () => {
      const order = await placeOrder(shop);
      const { headers } = shop.manager;
      const response = await restClient(deployment.url).send('HEAD', API + pathOf(order), { headers });
      expect([response.status, response.text, etagOf(response)]).toEqual([200, '', '"1"']);
    });
  });
});
