// OrderService: the creation and the end of orders, and their effect on the stock.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CustomerStatus } from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { OrderStatus, PaymentMethod } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Product as StoredProduct } from '../../../src/business/products/product.ts';
import { PRODUCTS } from '../../../src/business/products/product-store.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { idToBytes, newId } from '../../../src/platform/db/ids.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { lead, line, openShop, WAYS, type Shop } from '../../support/shop/core-shop.ts';
import { outcomeOf, refusal, tally } from '../../support/rpc-outcomes.ts';

const DETAILS = {
  paymentMethod: PaymentMethod.PAYMENT_METHOD_INVOICE,
  deliveryDate: '2028-02-29',
  deliveryAddress: 'Ölweg 1\n12345 Ort',
  note: 'Ring twice',
};

describe.each(DIAGONAL)('on $engine over $transport', ({ engine, transport }) => {
  let deployment: Deployment;
  let shop: Shop;

  beforeAll(async () => {
    deployment = await deploy({ engine, transport });
  });
  beforeEach(async () => {
    shop = await openShop(deployment);
  });
  afterAll(() => deployment?.close());

  /** A product as it is stored. */
  const seedable = async () =>
    (await PRODUCTS.find(deployment.database, shop.tenantId, (await shop.product()).id)) as StoredProduct;
  describe('a new order', () => {
    it('contains the requested items at their current prices', async () => {
      const rose = await shop.product({ name: 'Rose', price: 250, stock: 20 });
      const vase = await shop.product({ name: 'Vase', price: 999_999_999, stock: 20_000 });
      const order = await shop.place({ items: [line(vase, 9_000), line(rose, 3), line(vase, 999)], ...DETAILS });
      const now = new Date(deployment.clock.now());
      expect(order).toEqual({
        id: expect.any(String),
        tenantId: shop.tenantId,
        number: 1,
        customerId: shop.regular,
        items: [
          { productId: vase.id, name: 'Vase', quantity: 9_999, unitPrice: 999_999_999, lineTotal: 9_998_999_990_001 },
          { productId: rose.id, name: 'Rose', quantity: 3, unitPrice: 250, lineTotal: 750 },
        ],
        total: 9_998_999_990_751,
        currency: 'EUR',
        status: OrderStatus.ORDER_STATUS_NEW,
        ...DETAILS,
        productionPhotos: [],
        deliveryPhotos: [],
        createdAt: now,
        updatedAt: now,
        version: 1,
      });
      expect(await shop.get(order)).toEqual(order);
      expect(await shop.list()).toEqual([order]);
      expect([await shop.stockOf(rose), await shop.stockOf(vase)]).toEqual([17, 10_001]);
    });

    it('with the maximum items has an exact total', async () => {
      const product = { ...(await seedable()), price: 999_999_999, stock: 9_999 };
      const products = Array.from({ length: 200 }, (_, index) => ({ ...product, id: newId(), sku: `many-${index}` }));
      await deployment.database.transaction(UNLIMITED, async (tx) => {
        for (const each of products) await PRODUCTS.insert(tx, each);
      });
      const order = await shop.place({ items: products.map((product) => line(product, 9_999)) });
      expect(order.total).toBe(200 * 9_999 * 999_999_999);
      expect((await shop.get(order)).items.map(({ productId }) => productId)).toEqual(products.map(({ id }) => id));
      expect(await shop.setStatus(order, 'CANCELLED')).toMatchObject({ total: order.total });
      expect(await shop.stockOf(products[199]!)).toBe(9_999);
    });

    it('requires only customer and items', async () => {
      const order = await shop.place({ items: [line(await shop.product({ currency: 'USD' }), 1)] });
      expect(order).toMatchObject({ currency: 'USD', paymentMethod: 0 });
      expect([order.deliveryDate, order.deliveryAddress, order.note]).toEqual([undefined, undefined, undefined]);
    });

    it('keeps names and prices if products change or are deleted', async () => {
      const [kept, gone] = [await shop.product({ price: 100 }), await shop.product({ price: 200 })];
      const order = await shop.place({ items: [line(kept, 1), line(gone, 1)] });
      await shop.setPrice(kept, 101);
      await shop.removeProduct(gone);
      expect(await shop.get(order)).toEqual(order);
    });

    it('changes the version of its products', async () => {
      const product = await shop.product();
      deployment.clock.advance(1);
      await shop.place({ items: [line(product, 1)] });
      const { product: now } = await shop.products.getProduct({ productId: product.id }, shop.as);
      expect(now).toMatchObject({ stock: 9, version: 2, updatedAt: new Date(deployment.clock.now()) });
    });

    it('returns INSUFFICIENT_STOCK with the short items, and reserves nothing', async () => {
      const [plenty, few, none] = [
        await shop.product(),
        await shop.product({ stock: 3 }),
        await shop.product({ stock: 0 }),
      ];
      const items = [line(few, 2), line(plenty, 1), line(none, 1), line(few, 2)];
      const { reason, violations } = await refusal(shop.place({ items }));
      expect([reason, violations]).toEqual([
        'INSUFFICIENT_STOCK',
        [
          {
            message: 'only 3 can be had',
            format: 'stock',
            props: ['items', '0'],
            params: { productId: few.id, requested: 4, available: 3 },
          },
          {
            message: 'only 0 can be had',
            format: 'stock',
            props: ['items', '2'],
            params: { productId: none.id, requested: 1, available: 0 },
          },
        ],
      ]);
      expect([await shop.stockOf(plenty), await shop.stockOf(few)]).toEqual([10, 3]);
      expect(await shop.counts()).toEqual({ rows: {}, counters: {} });
      expect((await shop.place({ items: [line(plenty, 1)] })).number).toBe(1);
    });

    it.each(['INACTIVE', 'ARCHIVED'] as const)('returns CONFLICT for a product that is %s', async (status) => {
      const [active, other] = [await shop.product(), await shop.product({ stock: 0 })];
      await shop.setProductStatus(other, status);
      const { reason, violations } = await refusal(shop.place({ items: [line(active, 1), line(other, 1)] }));
      const props = ['items', '1'];
      expect([reason, violations]).toEqual([
        'CONFLICT',
        [{ message: 'cannot be ordered', format: 'status', props, params: { productId: other.id, status } }],
      ]);
      expect(await shop.stockOf(active)).toBe(10);
    });

    it('returns CONFLICT for a BLOCKED customer, but not for an INACTIVE one', async () => {
      const items = [line(await shop.product(), 1)];
      const blocked = await shop.customerId({ status: CustomerStatus.CUSTOMER_STATUS_BLOCKED });
      const inactive = await shop.customerId({ status: CustomerStatus.CUSTOMER_STATUS_INACTIVE });
      expect(await outcomeOf(shop.place({ customerId: blocked, items }))).toBe('CONFLICT');
      expect(await outcomeOf(shop.place({ customerId: inactive, items }))).toBe('OK');
    });
  });

  describe('cancellation and deletion', () => {
    it('a cancelled order releases its units, except for deleted products', async () => {
      const [a, gone] = [await shop.product(), await shop.product()];
      const order = await shop.place({ items: [line(gone, 4), line(a, 4)] });
      await shop.removeProduct(gone);
      await shop.setProductStatus(a, 'INACTIVE');
      const cancelled = await shop.setStatus(order, 'CANCELLED');
      expect(cancelled.items).toEqual(order.items);
      expect(await shop.stockOf(a)).toBe(10);
      expect(await outcomeOf(shop.remove(order))).toBe('OK');
      expect(await shop.stockOf(a)).toBe(10);
      expect(await shop.counts()).toEqual({ rows: {}, counters: {} });
    });

    it('a deletion removes the order with its history, and releases its units', async () => {
      const product = await shop.product();
      const order = await shop.place({ items: [line(product, 4)] });
      expect(await shop.remove(order)).toEqual({});
      expect(await shop.stockOf(product)).toBe(10);
      const named = { orderId: order.id };
      const calls = [
        shop.remove(order),
        shop.get(order),
        shop.change(order, { note: 'x' }),
        shop.setStatus(order, 'CANCELLED'),
        shop.orders.listOrderStatusHistory(named, shop.as),
      ];
      expect(tally(await Promise.all(calls.map(outcomeOf)))).toEqual({ NOT_FOUND: 5 });
      for (const table of ['order_items', 'order_status_changes']) {
        const rows = await deployment.database.query(`SELECT 1 AS one FROM ${table} WHERE order_id = ?`, [
          idToBytes(order.id),
        ]);
        expect(rows).toEqual([]);
      }
      expect(await shop.counts()).toEqual({ rows: {}, counters: {} });
    });

    it.each(Object.keys(WAYS) as (keyof typeof WAYS)[])('deleting in status %s', async (status) => {
      const product = await shop.product();
      const order = await lead(shop, await shop.place({ items: [line(product, 4)] }), status);
      const may = status === 'NEW' || status === 'CANCELLED';
      expect(await outcomeOf(shop.remove(order))).toBe(may ? 'OK' : 'CONFLICT');
      expect(await shop.stockOf(product)).toBe(may ? 10 : 6);
    });
  });

  it('requires the given version for changes, status changes and deletions', async () => {
    const order = await shop.place({ items: [line(await shop.product(), 1)] });
    const stale = { precondition: { versions: [2, 99] } };
    const meant = (version: number) => ({ precondition: { versions: [99, version] } });
    expect(await outcomeOf(shop.change(order, { note: 'x' }, stale))).toBe('PRECONDITION_FAILED');
    expect(await outcomeOf(shop.change(order, {}, stale))).toBe('PRECONDITION_FAILED');
    expect(await outcomeOf(shop.setStatus(order, 'CONFIRMED', stale))).toBe('PRECONDITION_FAILED');
    expect(await outcomeOf(shop.orders.deleteOrder({ orderId: order.id, ...stale }, shop.as))).toBe(
      'PRECONDITION_FAILED',
    );
    expect(await shop.get(order)).toEqual(order);
    expect(await shop.change(order, { note: 'x' }, meant(1))).toMatchObject({ version: 2 });
    expect(await shop.setStatus(order, 'CANCELLED', meant(2))).toMatchObject({ version: 3 });
    expect(await outcomeOf(shop.orders.deleteOrder({ orderId: order.id, ...meant(3) }, shop.as))).toBe('OK');
  });
});
