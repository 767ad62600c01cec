// OrderService.UpdateOrder: allowed changes of an order, and their effect on the stock.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CustomerStatus } from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { PaymentMethod } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { lead, line, openShop, type Shop } from '../../support/shop/core-shop.ts';
import { outcomeOf, refusal, violationsOf } from '../../support/rpc-outcomes.ts';

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

  const itemsOf = (order: { readonly items: readonly { productId: string; quantity: number; unitPrice: number }[] }) =>
    order.items.map(({ productId, quantity, unitPrice }) => [productId, quantity, unitPrice]);

  it("a change of an order's details keeps its items", async () => {
    const product = await shop.product();
    const order = await shop.place({ items: [line(product, 4)], ...DETAILS });
    await shop.setPrice(product, 1);
    deployment.clock.advance(1_000);
    const customerId = await shop.customerId();
    const changed = await shop.change(order, {
      customerId,
      note: undefined,
      paymentMethod: 0,
      deliveryDate: '2028-03-01',
    });
    const { note: _note, ...rest } = order;
    const updatedAt = new Date(deployment.clock.now());
    const expected = { ...rest, customerId, paymentMethod: 0, deliveryDate: '2028-03-01', updatedAt, version: 2 };
    expect(changed).toEqual(expected);
    expect(await shop.get(order)).toEqual(expected);
    expect(await shop.list({ query: 'twice' })).toEqual([]);
  });

  it('a change of an order without fields changes nothing', async () => {
    const order = await shop.place({ items: [line(await shop.product(), 4)] });
    deployment.clock.advance(1_000);
    expect(await shop.change(order, {})).toEqual(order);
    expect(await shop.get(order)).toEqual(order);
  });

  it("a change of an order's items reserves and releases the difference, and copies names and prices again", async () => {
    const [a, b, c] = [await shop.product({ price: 100 }), await shop.product({ price: 200 }), await shop.product()];
    const order = await shop.place({ items: [line(a, 10), line(b, 4)] });
    await shop.setPrice(a, 101);
    // All pieces of a are in the order already, so none of them is missing.
    const changed = await shop.change(order, { items: [line(c, 10), line(a, 10)] });
    expect(itemsOf(changed)).toEqual([
      [c.id, 10, 250],
      [a.id, 10, 101],
    ]);
    expect(changed.total).toBe(3510);
    expect(await shop.get(order)).toEqual(changed);
    expect([await shop.stockOf(a), await shop.stockOf(b), await shop.stockOf(c)]).toEqual([0, 10, 0]);
    expect(itemsOf(await shop.change(order, { items: [line(a, 9)] }))).toEqual([[a.id, 9, 101]]);
    expect([await shop.stockOf(a), await shop.stockOf(b), await shop.stockOf(c)]).toEqual([1, 10, 10]);
  });

  it('a change of an order to the same items changes nothing, even if the products have changed', async () => {
    const [a, b] = [await shop.product({ price: 100 }), await shop.product({ price: 200 })];
    const order = await shop.place({ items: [line(a, 2), line(b, 2)] });
    await shop.setPrice(a, 101);
    await shop.removeProduct(b);
    const changed = await shop.change(order, { items: [line(a, 1), line(b, 2), line(a, 1)], note: 'x' });
    expect(changed).toEqual({ ...order, note: 'x', version: 2 });
    const other = shop.change(order, { items: [line(a, 2), line(b, 1)] });
    expect(await violationsOf(other)).toEqual(['items.1.productId: reference']);
  });

  it('a change of items returns INSUFFICIENT_STOCK with the units of the order included, and changes nothing', async () => {
    const [a, b] = [await shop.product({ stock: 10 }), await shop.product({ stock: 10 })];
    const order = await shop.place({ items: [line(a, 4), line(b, 4)] });
    const { reason, violations } = await refusal(shop.change(order, { items: [line(a, 11)], note: 'x' }));
    const params = { productId: a.id, requested: 11, available: 10 };
    expect([reason, violations]).toMatchObject(['INSUFFICIENT_STOCK', [{ props: ['items', '0'], params }]]);
    expect([await shop.stockOf(a), await shop.stockOf(b)]).toEqual([6, 6]);
    expect(await shop.get(order)).toEqual(order);
  });

  it('a change of items can keep or release units of an inactive product, but not add any', async () => {
    const [a, b] = [await shop.product(), await shop.product()];
    const order = await shop.place({ items: [line(a, 4)] });
    await shop.setProductStatus(a, 'ARCHIVED');
    expect(await outcomeOf(shop.change(order, { items: [line(a, 5)] }))).toBe('CONFLICT');
    expect(itemsOf(await shop.change(order, { items: [line(a, 4), line(b, 1)] }))).toHaveLength(2);
    expect(itemsOf(await shop.change(order, { items: [line(a, 3)] }))).toEqual([[a.id, 3, 250]]);
    expect(await shop.stockOf(a)).toBe(7);
  });

  it('a change of the customer returns CONFLICT for another BLOCKED customer, but not for the current one', async () => {
    const order = await shop.place({ items: [line(await shop.product(), 1)] });
    const blocked = CustomerStatus.CUSTOMER_STATUS_BLOCKED;
    const other = await shop.customerId({ status: blocked });
    expect(await outcomeOf(shop.change(order, { customerId: other }))).toBe('CONFLICT');
    await shop.customers.setCustomerStatus({ customerId: shop.regular, status: blocked }, shop.as);
    expect(await outcomeOf(shop.change(order, { customerId: shop.regular, note: 'x' }))).toBe('OK');
  });

  it.each([
    ['NEW', 'OK'],
    ['CONFIRMED', 'OK'],
    ['IN_PRODUCTION', 'CONFLICT'],
    ['READY', 'CONFLICT'],
    ['OUT_FOR_DELIVERY', 'CONFLICT'],
    ['DELIVERED', 'CONFLICT'],
    ['COMPLETED', 'CONFLICT'],
    ['CANCELLED', 'CONFLICT'],
  ] as const)('in status %s: %s', async (status, expected) => {
    const product = await shop.product();
    const order = await lead(shop, await shop.place({ items: [line(product, 2)] }), status);
    const [left, customerId] = [await shop.stockOf(product), await shop.customerId()];
    for (const fields of [{ items: [line(product, 2)] }, { deliveryAddress: 'x' }, { note: 'x', customerId }]) {
      expect(await outcomeOf(shop.change(order, fields))).toBe(expected);
    }
    expect(await outcomeOf(shop.change(order, { note: 'x' }))).toBe('OK');
    expect(await shop.stockOf(product)).toBe(left);
    expect(await shop.change(order, {})).toMatchObject({ status: order.status });
  });
});
