// The statistics of the dashboard: the effect of each change of a record, and of time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testClock } from '../../support/clock.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { caller } from '../../support/callers.ts';
import { addCustomer, seedOrder } from '../../support/shop/customers.ts';
import { advanceTo, changes, DAY_MS, figuresOf, nextMidMonth, NOTHING, renewed, STATS } from './dashboard.ts';
import { newOrder, openShop, orderIn, placeOrder, setStatus, type Shop } from '../../support/shop/orders.ts';
import { addProduct } from '../../support/shop/products.ts';

/** What happens, and what it changes. Each goes on where the one before has left off; what they made is kept by name. */
type Step = [
  what: string,
  act: (shop: Shop, made: Record<string, any>) => Promise<unknown>,
  changed: Record<string, number>,
];

const STOCK: readonly Step[] = [
  [
    'a product with plenty',
    async ({ manager }, made) => (made.vase = await addProduct(manager, { stock: 10, reorderLevel: 4, price: 20 })),
    { products: 1 },
  ],
  [
    'a product with a stock at the reorder level',
    async ({ manager }, made) => (made.pot = await addProduct(manager, { stock: 4, reorderLevel: 4 })),
    { products: 1, lowStockProducts: 1 },
  ],
  ['a product without stock', ({ manager }) => addProduct(manager), { products: 1, lowStockProducts: 1 }],
  ['an ARCHIVED product without stock', ({ manager }) => addProduct(manager, { status: 'ARCHIVED' }), { products: 1 }],
  ['a delivery', change('pot', { stock: 5 }), { lowStockProducts: -1 }],
  ['a higher reorder level', change('pot', { reorderLevel: 5 }), { lowStockProducts: 1 }],
  ['archiving', status('products', 'pot', 'ARCHIVED'), { lowStockProducts: -1 }],
  ['taking it back', status('products', 'pot', 'INACTIVE'), { lowStockProducts: 1 }],
  ['deletion of a product', remove('products', 'pot'), { products: -1, lowStockProducts: -1 }],
];

const ORDERS: readonly Step[] = [
  [
    'an order',
    async (shop, made) => (made.order = await placeOrder(shop, { items: [{ productId: made.vase.id, quantity: 5 }] })),
    { ordersToday: 1, openOrders: 1, 'ordersByStatus.NEW': 1, revenueToday: 100, revenueThisMonth: 100 },
  ],
  ['another price', change('vase', { price: 30 }), {}],
  [
    'more pieces, at the price of now, which leave little',
    ({ manager }, made) =>
      manager.patch(`/orders/${made.order.id}`, { items: [{ productId: made.vase.id, quantity: 6 }] }),
    { revenueToday: 80, revenueThisMonth: 80, lowStockProducts: 1 },
  ],
  ['confirmation', status('orders', 'order', 'CONFIRMED'), moved('NEW', 'CONFIRMED')],
  ['production', status('orders', 'order', 'IN_PRODUCTION'), moved('CONFIRMED', 'IN_PRODUCTION')],
  [
    'cancellation',
    status('orders', 'order', 'CANCELLED'),
    {
      ...moved('IN_PRODUCTION', 'CANCELLED'),
      openOrders: -1,
      revenueToday: -180,
      revenueThisMonth: -180,
      lowStockProducts: -1,
    },
  ],
  ['deletion of a cancelled order', remove('orders', 'order'), { ordersToday: -1, 'ordersByStatus.CANCELLED': -1 }],
  [
    'an order that leaves nothing',
    async (shop, made) => (made.order = await placeOrder(shop, { items: [{ productId: made.vase.id, quantity: 10 }] })),
    {
      ordersToday: 1,
      openOrders: 1,
      'ordersByStatus.NEW': 1,
      revenueToday: 300,
      revenueThisMonth: 300,
      lowStockProducts: 1,
    },
  ],
  [
    'deletion of a new order',
    remove('orders', 'order'),
    {
      ordersToday: -1,
      openOrders: -1,
      'ordersByStatus.NEW': -1,
      revenueToday: -300,
      revenueThisMonth: -300,
      lowStockProducts: -1,
    },
  ],
  [
    'an order that is ready',
    async (shop, made) => (made.order = await orderIn(shop, 'READY')),
    { ordersToday: 1, openOrders: 1, 'ordersByStatus.READY': 1, revenueToday: 2.5, revenueThisMonth: 2.5 },
  ],
  ['a drive', status('orders', 'order', 'OUT_FOR_DELIVERY'), moved('READY', 'OUT_FOR_DELIVERY')],
  ['a delivery to the customer', status('orders', 'order', 'DELIVERED'), moved('OUT_FOR_DELIVERY', 'DELIVERED')],
  ['completion', status('orders', 'order', 'COMPLETED'), { ...moved('DELIVERED', 'COMPLETED'), openOrders: -1 }],
  [
    'an order in another currency',
    async (shop, made) => {
      made.dollars = await addProduct(shop.manager, { price: 99, currency: 'USD', stock: 1, reorderLevel: 0 });
      return placeOrder(shop, { items: [{ productId: made.dollars.id, quantity: 1 }] });
    },
    { products: 1, lowStockProducts: 1, ordersToday: 1, openOrders: 1, 'ordersByStatus.NEW': 1 },
  ],
  ['a move that is refused', status('orders', 'order', 'NEW', 409), {}],
  [
    'an order that asks for too much',
    ({ manager, ...shop }, made) =>
      expectStatus(
        409,
        manager.post('/orders', newOrder(shop, { items: [{ productId: made.vase.id, quantity: 11 }] })),
      ),
    {},
  ],
  [
    'an order without a customer',
    ({ manager, productId }) => expectStatus(400, manager.post('/orders', { items: [{ productId, quantity: 1 }] })),
    {},
  ],
];

const CUSTOMERS: readonly Step[] = [
  [
    'a customer',
    async ({ manager }, made) => (made.customer = await addCustomer(manager)),
    { customers: 1, newCustomersThisMonth: 1 },
  ],
  ['a blocked customer', status('customers', 'customer', 'BLOCKED'), {}],
];

function change(name: string, fields: object): Step[1] {
  return ({ manager }, made) => expectStatus(200, manager.patch(`/products/${made[name].id}`, fields));
}

function status(collection: string, name: string, wanted: string, expected = 200): Step[1] {
  return ({ manager }, made) =>
    expectStatus(expected, manager.patch(`/${collection}/${made[name].id}/status`, { status: wanted }));
}

function remove(collection: string, name: string): Step[1] {
  return ({ manager }, made) => expectStatus(204, manager.delete(`/${collection}/${made[name].id}`));
}

function moved(from: string, to: string): Record<string, number> {
  return { [`ordersByStatus.${from}`]: -1, [`ordersByStatus.${to}`]: 1 };
}

async function expectStatus(expected: number, response: Promise<RestResponse>): Promise<void> {
  expect((await response).status).toBe(expected);
}

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const clock = testClock();
  let deployment: Deployment;

  beforeAll(async () => {
    advanceTo(clock, nextMidMonth(clock));
    deployment = await deploy({ ...kind, clock });
  });
  afterAll(() => deployment?.close());

  it('are 0 for a tenant without records, with every status', async () => {
    const reader = await caller(deployment, { tenantId: 'empty', roles: ['TENANT_USER'] });
    const { status: answered, body, headers } = await reader.get(STATS);
    expect([answered, body]).toEqual([200, NOTHING]);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('change at once with every record', async () => {
    const shop = await openShop(deployment, { tenantId: 'changes' });
    const made: Record<string, any> = {};
    const seen: unknown[] = [];
    let before = await figuresOf(shop.manager);
    const steps = [...STOCK, ...ORDERS, ...CUSTOMERS];
    for (const [what, act] of steps) {
      await act(shop, made);
      const after = await figuresOf(shop.manager);
      seen.push([what, changes(before, after)]);
      before = after;
    }
    expect(seen).toEqual(steps.map(([what, , changed]) => [what, changed]));
  });

  it('use days and months in UTC', async () => {
    const shop = await openShop(deployment, { tenantId: 'turning' });
    const start = new Date(clock.now());
    const nextMonth = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
    const at = async (time: number) => {
      advanceTo(clock, time);
      const manager = await renewed(deployment, shop.manager);
      return { ...shop, manager };
    };
    const figures = async ({ manager }: Shop) => {
      const { ordersToday, revenueToday, revenueThisMonth, newCustomersThisMonth, customers, openOrders } =
        await figuresOf(manager);
      return [ordersToday, revenueToday, revenueThisMonth, newCustomersThisMonth, customers, openOrders];
    };

    const lastMoment = await at(nextMonth - 1);
    const old = await placeOrder(lastMoment);
    expect(await figures(lastMoment)).toEqual([1, 2.5, 2.5, 1, 1, 1]);

    const firstMoment = await at(nextMonth);
    expect(await figures(firstMoment)).toEqual([0, 0, 0, 0, 1, 1]);
    await placeOrder(firstMoment, { items: [{ productId: shop.productId, quantity: 4 }] });
    await addCustomer(firstMoment.manager);
    expect(await figures(firstMoment)).toEqual([1, 10, 10, 1, 2, 2]);
    // An order counts for the day it was placed on, whenever it changes.
    await setStatus(firstMoment.manager, old, 'CANCELLED');
    expect(await figures(firstMoment)).toEqual([1, 10, 10, 1, 2, 1]);

    const sameDay = await at(nextMonth + DAY_MS - 1);
    expect(await figures(sameDay)).toEqual([1, 10, 10, 1, 2, 1]);
    const nextDay = await at(nextMonth + DAY_MS);
    expect(await figures(nextDay)).toEqual([0, 0, 10, 1, 2, 1]);
  });

  it('are capped at the largest safe integer', async () => {
    const { manager, customerId } = await openShop(deployment, { tenantId: 'rich' });
    const order = { tenantId: 'rich', customerId, createdAt: clock.now() };
    await seedOrder(deployment.database, { ...order, number: 1, total: Number.MAX_SAFE_INTEGER - 1 });
    expect((await figuresOf(manager))['revenueToday']).toBe(90_071_992_547_409.9);
    await seedOrder(deployment.database, { ...order, number: 2, total: Number.MAX_SAFE_INTEGER - 1 });
    expect((await figuresOf(manager))['revenueThisMonth']).toBe(90_071_992_547_409.91);
  });
});
