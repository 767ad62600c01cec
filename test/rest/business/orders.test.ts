// Each endpoint of orders: what it answers, and what is kept.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/db/ids.ts';
import { deploy, DEPLOYMENTS, type Deployment } from '../../support/deployment.ts';
import { addGateway } from '../../support/gateways.ts';
import { problem } from '../../support/problems.ts';
import { restClient } from '../../support/rest-client.ts';
import { API, caller, callerWith, etagOf, faults } from '../../support/callers.ts';
import { addCustomer } from '../../support/shop/customers.ts';
import {
  newOrder,
  openShop,
  orderIn,
  pathOf,
  placeOrder,
  setStatus,
  stockOf,
  type Shop,
} from '../../support/shop/orders.ts';
import { addProduct } from '../../support/shop/products.ts';

const DETAILS = {
  paymentMethod: 'BANK_TRANSFER',
  deliveryDate: '2028-02-29',
  deliveryAddress: '1 Main Street\nSpringfield',
  note: 'Ring twice. 🌹',
};
const CHANGEABLE = ['NEW', 'CONFIRMED'] as const;
const FIXED = ['IN_PRODUCTION', 'READY', 'OUT_FOR_DELIVERY', 'DELIVERED', 'COMPLETED', 'CANCELLED'] as const;

describe.each(DEPLOYMENTS)('$engine over $transport', (kind) => {
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
    it('answers 201 with the order, where it is and which version of it', async () => {
      const rose = await product({ name: 'Rose', price: 19.99 });
      const vase = await product({ name: 'Vase', price: 0.1 });
      const body = newOrder(shop, { items: [line(rose, 3), line(vase, 3)], ...DETAILS });
      const answer = await shop.manager.post('/orders', body);
      const { id, number } = answer.body;
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({
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
      expect(answer.text).toMatch(/"unitPrice":0\.1,"lineTotal":0\.3\}\],"total":60\.27,/);
      expect(answer.headers.get('location')).toBe(`${API}/orders/${id}`);
      expect(answer.headers.get('cache-control')).toBe('private, no-cache');
      expect(etagOf(answer)).toBe('"1"');
      expect((await shop.manager.get(pathOf({ id }))).text).toBe(answer.text);
      expect([await stockOf(shop, rose.id), await stockOf(shop, vase.id)]).toEqual([97, 97]);
    });

    it('tells where it is below the context path', async () => {
      const gateway = await addGateway(deployment, { 'app.http.context-path': '/shop' });
      const by = callerWith(`${gateway.url}/shop`, shop.manager.account, shop.manager.headers);
      const answer = await by.post('/orders', newOrder(shop));
      expect(answer.headers.get('location')).toBe(`/shop${API}/orders/${answer.body.id}`);
      await gateway.close();
    });

    it('omits members without a value, also if null was sent', async () => {
      for (const nothing of [{}, Object.fromEntries(Object.keys(DETAILS).map((name) => [name, null]))]) {
        const order = await placeOrder(shop, nothing);
        for (const name of Object.keys(DETAILS)) expect(order).not.toHaveProperty(name);
      }
    });

    it('adds up the lines of one product, at the place of the first', async () => {
      const [a, b] = [await product(), await product()];
      const { items } = await placeOrder(shop, { items: [line(a, 1), line(b, 2), line(a, 9_998 - 9_900)] });
      expect(items).toMatchObject([line(a, 99), line(b, 2)]);
    });

    it('counts in minor units, up to the largest sums', async () => {
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

    it('keeps names and prices as they were', async () => {
      const thing = await product({ name: 'Before', price: 1 });
      const order = await placeOrder(shop, { items: [line(thing, 2)] });
      await shop.manager.patch(`/products/${thing.id}`, { name: 'After', price: 3 });
      expect(await read(order)).toEqual(order);
      await shop.manager.delete(`/products/${thing.id}`);
      expect(await read(order)).toEqual(order);
    });

    it('ignores what it computes', async () => {
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
      const answer = await shop.manager.post('/orders', body);
      expect(answer).toMatchObject({ status: 201, body: { total: 5, currency: 'EUR', status: 'NEW' } });
      expect(answer.body.createdAt).toBe(now());
    });

    it('409 where pieces are missing: nothing is taken', async () => {
      const [plenty, few] = [await product(), await product({ stock: 2 })];
      const items = [line(plenty, 2), line(few, 3)];
      const answer = await shop.manager.post('/orders', newOrder(shop, { items }));
      expect(answer).toEqual(problem(409, 'insufficient-stock', `${API}/orders`));
      expect([await stockOf(shop, plenty.id), await stockOf(shop, few.id)]).toEqual([100, 2]);
    });

    it.each(['INACTIVE', 'ARCHIVED'])('409 for a product that is %s', async (status) => {
      const { id } = await product({ status });
      const answer = await shop.manager.post('/orders', newOrder(shop, { items: [line({ id })] }));
      expect(answer).toEqual(problem(409, 'conflict', `${API}/orders`));
      expect(await stockOf(shop, id)).toBe(100);
    });

    it('409 for a customer that is BLOCKED, not for one that is INACTIVE', async () => {
      const to = async (status: string) => {
        const { id: customerId } = await addCustomer(shop.manager, { status });
        return shop.manager.post('/orders', newOrder({ ...shop, customerId }));
      };
      expect(await to('BLOCKED')).toEqual(problem(409, 'conflict', `${API}/orders`));
      expect((await to('INACTIVE')).status).toBe(201);
    });

    it('400 for products of several currencies', async () => {
      const items = [line(await product()), line(await product({ currency: 'CHF' }))];
      const answer = await shop.manager.post('/orders', newOrder(shop, { items }));
      expect(answer).toEqual(problem(400, 'validation-error', `${API}/orders`));
      expect(faults(answer)).toEqual(['items']);
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
        const answer = await shop.manager.post('/orders', { customerId, items });
        expect(answer.body.violations).toEqual([
          { message: 'names no record', format: 'reference', props: ['customerId'] },
          { message: 'names no record', format: 'reference', props: ['items', '1', 'productId'] },
        ]);
      }
    });
  });

  describe('GET /orders/:id', () => {
    it('answers 304 to who has this version', async () => {
      const order = await placeOrder(shop);
      const known = await shop.manager.get(pathOf(order), { 'if-none-match': '"0", W/"1"' });
      expect([known.status, known.text, etagOf(known)]).toEqual([304, '', '"1"']);
      expect((await shop.manager.get(pathOf(order), { 'if-none-match': '"2"' })).status).toBe(200);
    });

    it('returns the same headers for HEAD', async () => {
      const order = await placeOrder(shop);
      const { headers } = shop.manager;
      const answer = await restClient(deployment.url).send('HEAD', API + pathOf(order), { headers });
      expect([answer.status, answer.text, etagOf(answer)]).toEqual([200, '', '"1"']);
    });
  });

  describe('PUT /orders/:id', () => {
    it('takes back what GET shows: nothing changes but the version', async () => {
      const order = await placeOrder(shop, DETAILS);
      const stock = await stockOf(shop, shop.productId);
      deployment.clock.advance(1);
      const answer = await shop.manager.put(pathOf(order), await read(order));
      expect([answer.status, etagOf(answer)]).toEqual([200, '"2"']);
      expect(answer.body).toEqual({ ...order, updatedAt: now() });
      expect(await read(order)).toEqual(answer.body);
      expect(await stockOf(shop, shop.productId)).toBe(stock);
    });

    it('replaces all writable members, and clears those that are missing', async () => {
      const [before, after] = [await product(), await product({ name: 'Other', price: 1.5 })];
      const order = await placeOrder(shop, { items: [line(before, 5)], ...DETAILS });
      const { id: customerId } = await addCustomer(shop.manager);
      const { body } = await shop.manager.put(pathOf(order), { customerId, items: [line(after, 2)] });
      const kept = Object.entries(order).filter(([name]) => !(name in DETAILS));
      expect(body).toEqual({
        ...Object.fromEntries(kept),
        customerId,
        items: [{ productId: after.id, name: 'Other', quantity: 2, unitPrice: 1.5, lineTotal: 3 }],
        total: 3,
        updatedAt: now(),
      });
      expect([await stockOf(shop, before.id), await stockOf(shop, after.id)]).toEqual([100, 98]);
    });

    it('leaves the status as it is', async () => {
      const order = await orderIn(shop, 'CONFIRMED');
      const { status, body } = await shop.manager.put(pathOf(order), newOrder(shop, { status: 'NEW' }));
      expect([status, body.status]).toEqual([200, 'CONFIRMED']);
    });

    it.each(['customerId', 'items'])('400 without %s', async (name) => {
      const order = await placeOrder(shop);
      const { [name]: _left, ...body } = newOrder(shop);
      expect(faults(await shop.manager.put(pathOf(order), body))).toEqual([name]);
    });
  });

  describe('PATCH /orders/:id', () => {
    it('changes the given members', async () => {
      const order = await placeOrder(shop, DETAILS);
      const answer = await shop.manager.patch(pathOf(order), { note: 'Another' });
      expect([answer.status, etagOf(answer)]).toEqual([200, '"2"']);
      expect(answer.body).toEqual({ ...order, note: 'Another', updatedAt: now() });
      expect(await read(order)).toEqual(answer.body);
    });

    it('null takes an optional field away, and is refused for another', async () => {
      const order = await placeOrder(shop, DETAILS);
      for (const name of Object.keys(DETAILS)) {
        const { status, body } = await shop.manager.patch(pathOf(order), { [name]: null });
        expect([status, name in body]).toEqual([200, false]);
      }
      for (const name of ['customerId', 'items'])
        expect(faults(await shop.manager.patch(pathOf(order), { [name]: null }))).toEqual([name]);
    });

    it.each([{}, { status: 'READY', total: 0, productionPhotos: [], id: 1 }])('%j changes nothing', async (body) => {
      const order = await placeOrder(shop);
      const answer = await shop.manager.patch(pathOf(order), body);
      expect([answer.status, etagOf(answer), answer.body]).toEqual([200, '"1"', order]);
    });

    it('takes only the pieces that are added', async () => {
      const { id } = await product({ stock: 5 });
      const order = await placeOrder(shop, { items: [line({ id }, 3)] });
      const to = async (quantity: number) => {
        const { status, body } = await shop.manager.patch(pathOf(order), { items: [line({ id }, quantity)] });
        return [status, body.errorCode ?? body.total, await stockOf(shop, id)];
      };
      expect(await to(5)).toEqual([200, 99.95, 0]);
      expect(await to(6)).toEqual([409, 'insufficient-stock', 0]);
      expect(await to(1)).toEqual([200, 19.99, 4]);
      expect((await read(order)).items).toMatchObject([{ quantity: 1 }]);
    });
  });

  describe('a change', () => {
    it.each(CHANGEABLE)('200 while the order is %s', async (status) => {
      const order = await orderIn(shop, status);
      expect((await shop.manager.patch(pathOf(order), { note: 'x' })).status).toBe(200);
      expect((await shop.manager.put(pathOf(order), newOrder(shop))).status).toBe(200);
    });

    it.each(FIXED)('409 once the order is %s', async (status) => {
      const order = await orderIn(shop, status);
      for (const body of [
        { items: [line({ id: shop.productId }, 9)] },
        { customerId: shop.customerId },
        { deliveryDate: '2028-02-29' },
        { deliveryAddress: null, note: 'x' },
      ])
        expect(await shop.manager.patch(pathOf(order), body)).toEqual(problem(409, 'conflict', API + pathOf(order)));
      expect(await shop.manager.put(pathOf(order), order)).toEqual(problem(409, 'conflict', API + pathOf(order)));
      expect(await read(order)).toEqual(order);
    });

    it.each(FIXED)('200 for the note and the payment method even once it is %s', async (status) => {
      const order = await orderIn(shop, status);
      const fields = { note: 'Paid at the door', paymentMethod: 'CASH' };
      const { status: answered, body } = await shop.manager.patch(pathOf(order), fields);
      expect([answered, body]).toEqual([200, { ...order, ...fields, updatedAt: now() }]);
      expect(await read(order)).toEqual(body);
    });
  });

  describe('DELETE /orders/:id', () => {
    it.each(['NEW', 'CANCELLED'] as const)('204 while it is %s: the stock comes back once', async (status) => {
      const { id } = await product();
      const order = await orderIn(shop, status, { items: [line({ id }, 7)] });
      const answer = await shop.manager.delete(pathOf(order), { 'content-type': 'application/json' });
      expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([204, '', null]);
      expect(await stockOf(shop, id)).toBe(100);
      for (const gone of [pathOf(order), `${pathOf(order)}/status-history`])
        expect(await shop.manager.get(gone)).toEqual(problem(404, 'not-found', API + gone));
      expect((await shop.manager.delete(pathOf(order))).status).toBe(404);
    });

    it.each(['CONFIRMED', ...FIXED.filter((status) => status !== 'CANCELLED')] as const)(
      '409 while it is %s',
      async (status) => {
        const { id } = await product();
        const order = await orderIn(shop, status, { items: [line({ id }, 7)] });
        expect(await shop.manager.delete(pathOf(order))).toEqual(problem(409, 'conflict', API + pathOf(order)));
        expect([await stockOf(shop, id), await read(order)]).toEqual([93, order]);
      },
    );
  });

  describe('If-Match', () => {
    const CHANGES: readonly [what: string, send: (order: any, headers: Record<string, string>) => Promise<unknown>][] =
      [
        ['PUT', (order, headers) => shop.manager.put(pathOf(order), newOrder(shop), headers)],
        ['PATCH', (order, headers) => shop.manager.patch(pathOf(order), { note: 'x' }, headers)],
        ['PATCH of nothing', (order, headers) => shop.manager.patch(pathOf(order), {}, headers)],
        ['status', (order, headers) => shop.manager.patch(`${pathOf(order)}/status`, { status: 'CONFIRMED' }, headers)],
        ['DELETE', (order, headers) => shop.manager.delete(pathOf(order), headers)],
      ];

    it.each(CHANGES)('%s: 412 for every other version', async (what, send) => {
      const order = await placeOrder(shop);
      const path = API + pathOf(order) + (what === 'status' ? '/status' : '');
      for (const tags of ['"2"', 'W/"1"', '"x"', '1', '', '"0", "3"'])
        expect([tags, await send(order, { 'if-match': tags })]).toEqual([
          tags,
          problem(412, 'precondition-failed', path),
        ]);
      expect(await read(order)).toEqual(order);
    });

    it.each(CHANGES)('%s: works for this one, or any', async (_what, send) => {
      for (const tags of ['"1"', '"7", "1"', '*']) {
        const answer = await send(await placeOrder(shop), { 'if-match': tags });
        expect([200, 204]).toContain((answer as { status: number }).status);
      }
    });
  });

  it('the history tells who moved it when and why, and begins with its creation', async () => {
    const florist = await caller(deployment, { roles: ['FLORIST'] });
    const order = await placeOrder(shop);
    const { tenantId } = shop.manager.account;
    const moves = [{ tenantId, from: null, to: 'NEW', at: now(), by: shop.manager.account.id }] as object[];
    let from = 'NEW';
    for (const [by, to, note] of [
      [shop.manager, 'CONFIRMED', undefined],
      [florist, 'IN_PRODUCTION', ' Started\n'],
      [florist, 'READY', null],
      [shop.manager, 'CANCELLED', 'x'.repeat(2_000)],
    ] as const) {
      deployment.clock.advance(1_000);
      const answer = await setStatus(by, order, to, { note });
      expect([answer.status, etagOf(answer)]).toEqual([200, `"${moves.length + 1}"`]);
      expect(answer.body).toEqual({ ...order, status: to, updatedAt: now() });
      expect(await read(order)).toEqual(answer.body);
      moves.push({
        tenantId,
        from,
        to,
        at: now(),
        by: by.account.id,
        ...(typeof note === 'string' && { note: note.trim() }),
      });
      from = to;
    }
    const path = `${pathOf(order)}/status-history`;
    const all = await shop.manager.get(path);
    expect([all.status, all.body]).toEqual([200, moves]);
    const page = await shop.manager.get(`${path}?page=2&perPage=2`);
    expect(page.body).toEqual(moves.slice(2, 4));
    expect(['x-total-count', 'x-page', 'x-per-page'].map((name) => page.headers.get(name))).toEqual(['5', '2', '2']);
    expect(page.headers.get('link')).toContain(`<${API}${path}?page=3&perPage=2>; rel="next"`);
  });

  it.each(['IN_PRODUCTION', 'READY'] as const)(
    'a cancelled order that was %s gives its stock back once',
    async (last) => {
      const { id } = await product();
      const order = await orderIn(shop, last, { items: [line({ id }, 10)] });
      expect(await stockOf(shop, id)).toBe(90);
      expect((await setStatus(shop.manager, order, 'CANCELLED')).status).toBe(200);
      expect((await setStatus(shop.manager, order, 'CANCELLED')).status).toBe(409);
      expect(await stockOf(shop, id)).toBe(100);
    },
  );
});
