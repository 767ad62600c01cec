// Parallel orders of the same units, and parallel changes of one order.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Product } from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { ENGINES } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { insist, lead, line, openShop, statusOf, type Shop } from '../../support/shop/core-shop.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { outcomeOf, tally } from '../../support/rpc-outcomes.ts';

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

const outcome = (call: () => Promise<unknown>) => outcomeOf(insist(call));

describe.each(ENGINES)('on %s', (engine) => {
  let deployment: Deployment;
  let shop: Shop;

  beforeAll(async () => {
    deployment = await deploy({ engine, transport: 'local' });
  });
  beforeEach(async () => {
    shop = await openShop(deployment);
  });
  afterAll(() => deployment?.close());

  it('10 of 100 parallel orders for the last 10 units succeed', async () => {
    const product = await shop.product({ stock: 10 });
    const outcomes = await times(100, () => outcome(() => shop.place({ items: [line(product, 1)] })));
    expect(tally(outcomes)).toEqual({ OK: 10, INSUFFICIENT_STOCK: 90 });
    expect(await shop.stockOf(product)).toBe(0);
    expect(await shop.counts()).toEqual({ rows: { NEW: 10 }, counters: { NEW: 10 } });
    const numbers = (await shop.list({ sort: 'number' })).map(({ number }) => number);
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect((await shop.place({ items: [line(await shop.product(), 1)] })).number).toBe(11);
  });

  it('the first orders of a tenant succeed in parallel', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const fresh = await openShop(deployment);
      const products = await times(5, () => fresh.product());
      expect(
        tally(await times(5, (index) => outcome(() => fresh.place({ items: [line(products[index]!, 1)] })))),
      ).toEqual({
        OK: 5,
      });
      const orders = await fresh.list();
      await Promise.all(orders.map((order) => fresh.setStatus(order, 'CONFIRMED')));
      const moves = ['IN_PRODUCTION', 'CANCELLED'] as const;
      const outcomes = await times(4, (index) => outcome(() => fresh.setStatus(orders[index]!, moves[index % 2]!)));
      expect(tally(outcomes)).toEqual({ OK: 4 });
      const counted = { CONFIRMED: 1, IN_PRODUCTION: 2, CANCELLED: 2 };
      expect(await fresh.counts()).toEqual({ rows: counted, counters: counted });
    }
  });

  it('20 parallel cancellations release the stock once', async () => {
    const product = await shop.product({ stock: 10 });
    const order = await shop.place({ items: [line(product, 7)] });
    const outcomes = await times(20, () => outcome(() => shop.setStatus(order, 'CANCELLED')));
    expect(tally(outcomes)).toEqual({ OK: 1, INVALID_TRANSITION: 19 });
    expect(await shop.stockOf(product)).toBe(10);
    expect(await shop.counts()).toEqual({ rows: { CANCELLED: 1 }, counters: { CANCELLED: 1 } });
  });

  it('parallel orders of the same products in opposite order do not deadlock', { timeout: 120_000 }, async () => {
    const [a, b] = [await shop.product({ stock: 1000 }), await shop.product({ stock: 1000 })];
    const opposite = [
      [line(a, 1), line(b, 1)],
      [line(b, 1), line(a, 1)],
    ];
    const orders = await Promise.all(opposite.map((items) => shop.place({ items })));
    for (let round = 1; round <= ROUNDS; round += 1) {
      const quantity = 1 + (round % 3);
      const outcomes = await times(4, (index) => {
        const items = opposite[index % 2]!;
        const changed = items.map((item) => ({ ...item, quantity }));
        return outcome(() => (index < 2 ? shop.place({ items }) : shop.change(orders[index % 2]!, { items: changed })));
      });
      expect(tally(outcomes)).toEqual({ OK: 4 });
      const held = 2 * round + 2 * quantity;
      expect([await shop.stockOf(a), await shop.stockOf(b)]).toEqual([1000 - held, 1000 - held]);
      const placed = 2 + 2 * round;
      expect(await shop.counts()).toEqual({ rows: { NEW: placed }, counters: { NEW: placed } });
    }
  });

  it('parallel changes of an order lose and duplicate no units', { timeout: 120_000 }, async () => {
    const heldBy = async (there: Shop, { id }: Product) =>
      (await there.list())
        .filter((order) => statusOf(order) !== 'CANCELLED')
        .flatMap(({ items }) => items.filter(({ productId }) => productId === id))
        .reduce((sum, { quantity }) => sum + quantity, 0);

    const statuses = ['NEW', 'CONFIRMED', 'READY', 'CANCELLED'] as const;
    for (let round = 0; round < statuses.length * ROUNDS; round += 1) {
      const there = await openShop(deployment);
      const products = [await there.product({ stock: 50 }), await there.product({ stock: 50 })];
      const [a, b] = products as [Product, Product];
      const order = await there.place({ items: [line(a, 2), line(b, 3)] });
      await lead(there, order, statuses[round % statuses.length]!);
      const calls = [
        () => there.setStatus(order, 'CONFIRMED'),
        () => there.change(order, { items: [line(b, 5)] }),
        () => there.setStatus(order, 'CANCELLED'),
        () => there.remove(order),
        () => there.change(order, { items: [line(a, 1), line(b, 1)] }),
        () => there.setStatus(order, 'COMPLETED'),
        () => there.remove(order),
        () => there.setStatus(order, 'CANCELLED'),
      ];
      const outcomes = await times(calls.length, (index) => outcome(calls[(index + round) % calls.length]!));
      expect(['CONFLICT', 'INVALID_TRANSITION', 'NOT_FOUND', 'OK']).toEqual(expect.arrayContaining(outcomes));
      // Each status allows one of the calls at least.
      expect(outcomes).toContain('OK');
      for (const product of products) expect((await there.stockOf(product)) + (await heldBy(there, product))).toBe(50);
      const { rows, counters } = await there.counts();
      expect(counters).toEqual(rows);
    }
  });
});
