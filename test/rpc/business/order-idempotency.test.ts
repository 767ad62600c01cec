// OrderService.CreateOrder with an idempotency key: executed once for any number of calls.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type {
  CreateOrderRequest,
  Order,
  OrderFields,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { ORDER_IDEMPOTENCY_KEYS_CLEANUP } from '../../../src/business/orders/idempotency-key-store.ts';
import { cleanup } from '../../../src/platform/jobs/cleanup.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { insist, line, openShop, type Shop } from '../../support/shop/core-shop.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { outcomeOf, tally, violationsOf } from '../../support/rpc-outcomes.ts';
import { signIn } from '../../support/sessions.ts';

const DAY_MS = 24 * 3_600_000;
const KEY = { idempotencyKey: 'order-1' };

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

  const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => make(index)));
  /** Places it in the manager's name, with a session as old as the clock says. */
  const placeNow = async (order: Partial<OrderFields>, more: Partial<CreateOrderRequest> = KEY): Promise<Order> => {
    const fields = { customerId: shop.regular, items: [], paymentMethod: 0 as const, ...order };
    return (await shop.orders.createOrder({ order: fields, ...more }, await signIn(deployment, shop.manager))).order!;
  };

  it('20 parallel calls create one order', async () => {
    const product = await shop.product();
    const orders = await times(20, () => insist(() => shop.place({ items: [line(product, 3)] }, KEY)));
    expect(orders).toEqual(Array(20).fill(orders[0]));
    expect(await shop.list()).toEqual([orders[0]]);
    expect(await shop.stockOf(product)).toBe(7);
    expect(await shop.counts()).toEqual({ rows: { NEW: 1 }, counters: { NEW: 1 } });
  });

  it('20 parallel calls that fail all get the error, and the key stays unused', async () => {
    const product = await shop.product({ stock: 2 });
    const items = [line(product, 3)];
    expect(tally(await times(20, () => outcomeOf(insist(() => shop.place({ items }, KEY)))))).toEqual({
      INSUFFICIENT_STOCK: 20,
    });
    await shop.products.updateProduct(
      { productId: product.id, product: { stock: 3, status: 0, images: [] }, updateMask: ['stock'] },
      shop.as,
    );
    const order = await shop.place({ items }, KEY);
    expect(await shop.place({ items }, KEY)).toEqual(order);
    expect(await shop.stockOf(product)).toBe(0);
  });

  it('of two different requests with one key exactly one is executed', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const product = await shop.product();
      const key = { idempotencyKey: `round-${round}` };
      const outcomes = await times(10, (index) =>
        outcomeOf(insist(() => shop.place({ items: [line(product, 1 + (index % 2))] }, key))),
      );
      expect(tally(outcomes)).toEqual({ OK: 5, CONFLICT: 5 });
      expect(await shop.stockOf(product)).toBe(10 - (outcomes[0] === 'OK' ? 1 : 2));
    }
  });

  it('the stored response does not change with the order and its records', async () => {
    const product = await shop.product();
    const fields = { items: [line(product, 2)], note: 'first' };
    const first = await shop.place(fields, KEY);
    await shop.change(first, { note: 'second' });
    await shop.remove(first);
    await shop.products.deleteProduct({ productId: product.id }, shop.as);
    deployment.clock.advance(DAY_MS - 1);
    expect(await placeNow(fields)).toEqual(first);
    expect(await outcomeOf(placeNow({ ...fields, note: 'third' }))).toBe('VALIDATION_ERROR');
  });

  it('returns CONFLICT for the same key with any difference in the request', async () => {
    const product = await shop.product();
    const fields = { items: [line(product, 1)] };
    await shop.place(fields, KEY);
    const others: [Partial<OrderFields>, Partial<CreateOrderRequest>?][] = [
      [{ items: [line(product, 2)] }],
      [{ items: [line(product, 1), line(product, 1)] }],
      [{ ...fields, note: 'x' }],
      [{ ...fields, paymentMethod: 1 }],
      [{ ...fields, customerId: await shop.customerId() }],
      [fields, { tenantId: shop.tenantId }],
    ];
    for (const [order, more] of others) {
      expect(await outcomeOf(shop.place(order, { ...more, ...KEY }))).toBe('CONFLICT');
    }
    expect(await shop.stockOf(product)).toBe(9);
  });

  it('other keys, other accounts and no key create other orders', async () => {
    const product = await shop.product();
    const order = { customerId: shop.regular, items: [line(product, 1)], paymentMethod: 0 as const };
    const as = await shop.actor(['SALES']);
    await shop.place(order, KEY);
    await shop.place(order, { idempotencyKey: 'ORDER-1' });
    await shop.place(order);
    await shop.orders.createOrder({ order, ...KEY }, as);
    const numbers = (await shop.list({ sort: 'number' })).map(({ number }) => number);
    expect([numbers, await shop.stockOf(product)]).toEqual([[1, 2, 3, 4], 6]);
  });

  it('the key is new after 24 hours, deleted or not', async () => {
    const product = await shop.product();
    const fields = { items: [line(product, 1)] };
    const first = await shop.place(fields, KEY);
    deployment.clock.advance(DAY_MS);
    const [second, ...rest] = await times(5, () => placeNow(fields));
    expect(second!.number).toBe(first.number + 1);
    expect(rest).toEqual(Array(4).fill(second));

    const { database, clock } = deployment;
    const run = () => cleanup({ database, clock: clock.now, targets: [ORDER_IDEMPOTENCY_KEYS_CLEANUP], pauseMs: 0 });
    await run();
    expect(await placeNow(fields)).toEqual(second);
    clock.advance(DAY_MS);
    expect(await run()).toBeGreaterThan(0);
    expect(await database.query('SELECT 1 AS one FROM order_idempotency_keys')).toEqual([]);
    expect((await placeNow(fields)).number).toBe(first.number + 2);
    expect((await deployment.core.cleanup.stats()).tables.map(({ table }) => table)).toContain(
      'order_idempotency_keys',
    );
  });

  it.each([
    ['empty', ''],
    ['256 characters', 'x'.repeat(256)],
    ['a blank', 'a b'],
    ['not ASCII', 'schlüssel'],
    ['a NUL', 'a\u0000'],
    ['a line', 'a\n'],
  ])('returns VALIDATION_ERROR for a key that is %s', async (_what, idempotencyKey) => {
    expect(await violationsOf(shop.place({}, { idempotencyKey }))).toEqual([
      'Idempotency-Key: pattern',
      'items: required',
    ]);
  });

  it('accepts any key of 1 to 255 visible ASCII characters', async () => {
    const items = [line(await shop.product(), 1)];
    for (const idempotencyKey of ['!', '~'.repeat(255)]) {
      expect(await shop.place({ items }, { idempotencyKey })).toEqual(await shop.place({ items }, { idempotencyKey }));
    }
  });
});
