// PUT, PATCH and DELETE /orders/:id, and If-Match on them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { API, etagOf, faults } from '../../support/callers.ts';
import { addCustomer } from '../../support/shop/customers.ts';
import { newOrder, openShop, orderIn, pathOf, placeOrder, stockOf, type Shop } from '../../support/shop/orders.ts';
import { addProduct } from '../../support/shop/products.ts';

const DETAILS = {
  paymentMethod: 'BANK_TRANSFER',
  deliveryDate: '2028-02-29',
  deliveryAddress: '1 Main Street\nSpringfield',
  note: 'Ring twice. 🌹',
};
const CHANGEABLE = ['NEW', 'CONFIRMED'] as const;
const FIXED = ['IN_PRODUCTION', 'READY', 'OUT_FOR_DELIVERY', 'DELIVERED', 'COMPLETED', 'CANCELLED'] as const;

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

  describe('PUT /orders/:id', () => {
    it('accepts the response of GET, and changes the version only', async () => {
      const order = await placeOrder(shop, DETAILS);
      const stock = await stockOf(shop, shop.productId);
      deployment.clock.advance(1);
      const response = await shop.manager.put(pathOf(order), await read(order));
      expect([response.status, etagOf(response)]).toEqual([200, '"2"']);
      expect(response.body).toEqual({ ...order, updatedAt: now() });
      expect(await read(order)).toEqual(response.body);
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

    it('does not change the status', async () => {
      const order = await orderIn(shop, 'CONFIRMED');
      const { status, body } = await shop.manager.put(pathOf(order), newOrder(shop, { status: 'NEW' }));
      expect([status, body.status]).toEqual([200, 'CONFIRMED']);
    });

    it.each(['customerId', 'items'])('returns 400 without %s', async (name) => {
      const order = await placeOrder(shop);
      const { [name]: _left, ...body } = newOrder(shop);
      expect(faults(await shop.manager.put(pathOf(order), body))).toEqual([name]);
    });
  });

  describe('PATCH /orders/:id', () => {
    it('changes the given members', async () => {
      const order = await placeOrder(shop, DETAILS);
      const response = await shop.manager.patch(pathOf(order), { note: 'Another' });
      expect([response.status, etagOf(response)]).toEqual([200, '"2"']);
      expect(response.body).toEqual({ ...order, note: 'Another', updatedAt: now() });
      expect(await read(order)).toEqual(response.body);
    });

    it('null clears an optional field, and is rejected for a required one', async () => {
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
      const response = await shop.manager.patch(pathOf(order), body);
      expect([response.status, etagOf(response), response.body]).toEqual([200, '"1"', order]);
    });

    it('reserves only the added units', async () => {
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
    it.each(CHANGEABLE)('returns 200 if the order is %s', async (status) => {
      const order = await orderIn(shop, status);
      expect((await shop.manager.patch(pathOf(order), { note: 'x' })).status).toBe(200);
      expect((await shop.manager.put(pathOf(order), newOrder(shop))).status).toBe(200);
    });

    it.each(FIXED)('returns 409 if the order is %s', async (status) => {
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

    it.each(FIXED)('returns 200 for the note and the payment method, also if the order is %s', async (status) => {
      const order = await orderIn(shop, status);
      const fields = { note: 'Paid at the door', paymentMethod: 'CASH' };
      const { status: answered, body } = await shop.manager.patch(pathOf(order), fields);
      expect([answered, body]).toEqual([200, { ...order, ...fields, updatedAt: now() }]);
      expect(await read(order)).toEqual(body);
    });
  });

  describe('DELETE /orders/:id', () => {
    it.each(['NEW', 'CANCELLED'] as const)(
      'returns 204 if the order is %s, and releases the stock once',
      async (status) => {
        const { id } = await product();
        const order = await orderIn(shop, status, { items: [line({ id }, 7)] });
        const response = await shop.manager.delete(pathOf(order), { 'content-type': 'application/json' });
        expect([response.status, response.text, response.headers.get('etag')]).toEqual([204, '', null]);
        expect(await stockOf(shop, id)).toBe(100);
        for (const gone of [pathOf(order), `${pathOf(order)}/status-history`])
          expect(await shop.manager.get(gone)).toEqual(problem(404, 'not-found', API + gone));
        expect((await shop.manager.delete(pathOf(order))).status).toBe(404);
      },
    );

    it.each(['CONFIRMED', ...FIXED.filter((status) => status !== 'CANCELLED')] as const)(
      'returns 409 if the order is %s',
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

    it.each(CHANGES)('%s: returns 412 for every other version', async (what, send) => {
      const order = await placeOrder(shop);
      const path = API + pathOf(order) + (what === 'status' ? '/status' : '');
      for (const tags of ['"2"', 'W/"2"', '"x"', '1', '', '"0", "3"'])
        expect([tags, await send(order, { 'if-match': tags })]).toEqual([
          tags,
          problem(412, 'precondition-failed', path),
        ]);
      expect(await read(order)).toEqual(order);
    });

    it.each(CHANGES)('%s: succeeds for the current version and for *', async (_what, send) => {
      for (const tags of ['"1"', '"7", "1"', '*', 'W/"1"', '"1-gzip"']) {
        const response = await send(await placeOrder(shop), { 'if-match': tags });
        expect([200, 204]).toContain((response as { status: number }).status);
      }
    });
  });
});
