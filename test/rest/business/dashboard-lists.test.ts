// The lists of the dashboard: recent orders, inventory alerts and notifications.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OrderStatus } from '../../../src/business/orders/order-status.ts';
import { testClock } from '../../support/clock.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { API, caller, type Caller } from '../../support/callers.ts';
import { advanceTo, all, DAY_MS, dateOf, LISTS, nextMidMonth, renewed } from './dashboard.ts';
import { openShop, orderIn, placeOrder, setStatus, type Shop } from '../../support/shop/orders.ts';
import { addProduct } from '../../support/shop/products.ts';

const [RECENT, ALERTS, NOTIFICATIONS] = LISTS;
const ids = (items: { id: string }[]): string[] => items.map(({ id }) => id);

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const clock = testClock();
  let deployment: Deployment;

  beforeAll(async () => {
    advanceTo(clock, nextMidMonth(clock));
    deployment = await deploy({ ...kind, clock });
  });
  afterAll(() => deployment?.close());

  it.each(LISTS)('%s is empty for a tenant without records', async (path) => {
    const reader = await caller(deployment, { tenantId: 'empty', roles: ['TENANT_USER'] });
    const { status, body, headers } = await reader.get(path);
    expect([status, body]).toEqual([200, []]);
    expect(['x-total-count', 'x-page', 'x-per-page'].map((name) => headers.get(name))).toEqual(['0', '1', '20']);
    expect(headers.get('cache-control')).toBe('private, no-cache');
  });

  describe('recent orders', () => {
    it('are whole orders in pages, newest first', async () => {
      const shop = await openShop(deployment, { tenantId: 'recent' });
      const placed = [];
      for (const status of ['NEW', 'CANCELLED', 'COMPLETED', 'READY', 'NEW'] as const) {
        placed.push(await orderIn(shop, status, { paymentMethod: 'CASH', deliveryDate: dateOf(clock.now()) }));
        // The last two are placed at the same moment.
        if (placed.length < 4) clock.advance(1);
      }
      const { manager } = shop;
      const { body } = await manager.get(RECENT);
      expect(ids(body)).toEqual(ids(placed).toReversed());
      for (const order of body) expect((await manager.get(`/orders/${order.id}`)).body).toEqual(order);
      expect(await all(manager, RECENT, 2)).toEqual(body);
      const { headers } = await manager.get(`${RECENT}?page=2&perPage=2`);
      expect(headers.get('x-total-count')).toBe('5');
      expect(headers.get('link')).toBe(
        [
          [1, 'first'],
          [1, 'prev'],
          [3, 'next'],
          [3, 'last'],
        ]
          .map(([page, relation]) => `<${API}${RECENT}?page=${page}&perPage=2>; rel="${relation}"`)
          .join(', '),
      );
    });
  });

  describe('inventory alerts', () => {
    it('list every product with low stock, lowest first', async () => {
      const manager = await caller(deployment, { tenantId: 'alerts' });
      const add = (name: string, fields: object) => addProduct(manager, { name, sku: `sku of ${name}`, ...fields });
      const products = [
        await add('plenty', { stock: 11, reorderLevel: 10 }),
        await add('just low', { stock: 10, reorderLevel: 10 }),
        await add('lower', { stock: 1, reorderLevel: 9, status: 'INACTIVE' }),
        await add('archived', { stock: 0, reorderLevel: 10, status: 'ARCHIVED' }),
        await add('one', { stock: 1, reorderLevel: 1 }),
        await add('none', { stock: 0, reorderLevel: 0 }),
        await add('none wanted', { stock: 3, reorderLevel: 0 }),
      ];
      const alertOf = (name: string, severity: string) => {
        const { id, sku, stock, reorderLevel } = products.find((product) => product.name === name);
        return { tenantId: 'alerts', productId: id, sku, name, stock, reorderLevel, severity };
      };
      const alerts = [
        alertOf('none', 'OUT'),
        alertOf('lower', 'LOW'),
        alertOf('one', 'LOW'),
        alertOf('just low', 'LOW'),
      ];
      expect((await manager.get(ALERTS)).body).toEqual(alerts);
      for (const perPage of [1, 2, 3]) expect(await all(manager, ALERTS, perPage)).toEqual(alerts);
      expect((await manager.get(`${ALERTS}?page=1000000`)).body).toEqual([]);
    });

    it('change with the stock that orders reserve and release', async () => {
      const shop = await openShop(deployment, { tenantId: 'taken' });
      const { id: productId } = await addProduct(shop.manager, { stock: 3, reorderLevel: 1 });
      const seen = async () =>
        (await shop.manager.get(ALERTS)).body.map(({ stock, severity }: any) => `${severity} ${stock}`);
      const take = (quantity: number) => placeOrder(shop, { items: [{ productId, quantity }] });
      const seenAfter = [await seen()];
      const first = await take(2);
      seenAfter.push(await seen());
      await take(1);
      seenAfter.push(await seen());
      await setStatus(shop.manager, first, 'CANCELLED');
      seenAfter.push(await seen());
      expect(seenAfter).toEqual([[], ['LOW 1'], ['OUT 0'], []]);
    });
  });

  describe('notifications', () => {
    /** What there is to say, without ids and paths. */
    const said = async (by: Caller) =>
      (await by.get(NOTIFICATIONS)).body.map(({ type, message }: any) => `${type}: ${message}`);

    it('contain a text and the path of the record', async () => {
      const shop = await openShop(deployment, { tenantId: 'causes' });
      const placedAt = new Date(clock.now()).toISOString();
      const order = await placeOrder(shop, { deliveryDate: dateOf(clock.now() - DAY_MS) });
      clock.advance(1000);
      const changedAt = new Date(clock.now()).toISOString();
      const low = await addProduct(shop.manager, { name: 'Rosé 🌹', stock: 2, reorderLevel: 5 });
      clock.advance(1000);
      const out = await addProduct(shop.manager, { name: '<b>Vase</b>' });
      const { body } = await shop.manager.get(NOTIFICATIONS);
      expect(body).toEqual([
        {
          id: expect.any(String),
          tenantId: 'causes',
          type: 'STOCK_OUT',
          message: '<b>Vase</b>: none left in stock',
          resource: `/api/v1/products/${out.id}`,
          createdAt: new Date(clock.now()).toISOString(),
        },
        {
          id: expect.any(String),
          tenantId: 'causes',
          type: 'STOCK_LOW',
          message: 'Rosé 🌹: 2 left in stock',
          resource: `/api/v1/products/${low.id}`,
          createdAt: changedAt,
        },
        {
          id: expect.any(String),
          tenantId: 'causes',
          type: 'ORDER_OVERDUE',
          message: `Order 1 was to be delivered on ${order.deliveryDate}`,
          resource: `/api/v1/orders/${order.id}`,
          createdAt: placedAt,
        },
        {
          id: expect.any(String),
          tenantId: 'causes',
          type: 'ORDER_NEW',
          message: 'Order 1 waits to be confirmed',
          resource: `/api/v1/orders/${order.id}`,
          createdAt: placedAt,
        },
      ]);
      expect(new Set(ids(body)).size).toBe(4);
      expect((await shop.manager.get(NOTIFICATIONS)).body).toEqual(body);
      for (const { resource } of body) {
        expect((await shop.manager.get(resource.slice(API.length))).status).toBe(200);
      }
    });

    it('disappear with their cause', async () => {
      const shop = await openShop(deployment, { tenantId: 'gone' });
      const { manager } = shop;
      const order = await placeOrder(shop);
      const product = await addProduct(manager, { name: 'Vase', stock: 1, reorderLevel: 1 });
      expect(await said(manager)).toEqual([
        'STOCK_LOW: Vase: 1 left in stock',
        'ORDER_NEW: Order 1 waits to be confirmed',
      ]);
      await setStatus(manager, order, 'CONFIRMED');
      await manager.patch(`/products/${product.id}`, { stock: 0 });
      expect(await said(manager)).toEqual(['STOCK_OUT: Vase: none left in stock']);
      await manager.patch(`/products/${product.id}/status`, { status: 'ARCHIVED' });
      expect(await said(manager)).toEqual([]);
    });

    it('report a new order for 24 hours, and an overdue order from the next day on', async () => {
      const shop = await openShop(deployment, { tenantId: 'time' });
      const order = await placeOrder(shop, { deliveryDate: dateOf(clock.now()) });
      const placedAt = clock.now();
      const midnight = Math.ceil(placedAt / DAY_MS) * DAY_MS;
      const fresh = 'ORDER_NEW: Order 1 waits to be confirmed';
      const overdue = `ORDER_OVERDUE: Order 1 was to be delivered on ${order.deliveryDate}`;
      for (const [time, expected] of [
        [placedAt, [fresh]],
        [midnight - 1, [fresh]],
        [midnight, [overdue, fresh]],
        [placedAt + DAY_MS - 1, [overdue, fresh]],
        [placedAt + DAY_MS, [overdue]],
      ] as const) {
        advanceTo(clock, time);
        expect(await said(await renewed(deployment, shop.manager))).toEqual(expected);
      }
    });

    it('count an order as overdue until it is delivered or cancelled', async () => {
      const shop = await openShop(deployment, { tenantId: 'overdue' });
      const yesterday = { deliveryDate: dateOf(clock.now() - DAY_MS) };
      const placed = new Map<string, OrderStatus>();
      const statuses: OrderStatus[] = ['CONFIRMED', 'IN_PRODUCTION', 'READY', 'OUT_FOR_DELIVERY'];
      for (const status of [...statuses, 'DELIVERED', 'COMPLETED', 'CANCELLED'] as const) {
        placed.set((await orderIn(shop, status, yesterday)).id, status);
      }
      for (const deliveryDate of [dateOf(clock.now()), dateOf(clock.now() + DAY_MS), undefined]) {
        await orderIn(shop, 'CONFIRMED', { deliveryDate });
      }
      const { body } = await shop.manager.get(NOTIFICATIONS);
      expect(body.every(({ type }: any) => type === 'ORDER_OVERDUE')).toBe(true);
      expect(body.map(({ resource }: any) => placed.get(resource.split('/').at(-1)))).toEqual(statuses.toReversed());
    });

    it('have pages without duplicates and gaps, newest first', async () => {
      const shop = await openShop(deployment, { tenantId: 'many' });
      await fill(shop, 4);
      clock.advance(1000);
      await fill(shop, 3);
      const whole = (await shop.manager.get(`${NOTIFICATIONS}?perPage=100`)).body;
      expect(whole).toHaveLength(7 * 3);
      expect(new Set(ids(whole)).size).toBe(whole.length);
      const times = whole.map(({ createdAt }: any) => createdAt);
      expect(times).toEqual(times.toSorted().toReversed());
      for (const perPage of [1, 4, 20, 21]) expect(await all(shop.manager, NOTIFICATIONS, perPage)).toEqual(whole);
    });

    /** So many products without stock, and new orders that are overdue, all of one moment. */
    async function fill(shop: Shop, count: number): Promise<void> {
      for (let index = 0; index < count; index += 1) {
        await addProduct(shop.manager);
        await placeOrder(shop, { deliveryDate: dateOf(clock.now() - DAY_MS) });
      }
    }
  });
});

describe('beneath a context path', () => {
  it('the paths of notifications and links include the context path', async () => {
    const deployment = await deploy({
      engine: 'sqlite',
      transport: 'local',
      settings: { 'app.http.context-path': '/shop' },
    });
    try {
      const { account } = await caller(deployment);
      const headers = bearer((await seedSession(deployment, account)).accessToken);
      const { send, postJson } = restClient(deployment.url);
      const { body: product } = await postJson('/shop/api/v1/products', { sku: 'x', name: 'x', price: 1 }, headers);
      const response = await send('GET', `/shop${API}${NOTIFICATIONS}?perPage=1`, { headers });
      expect(response.body[0].resource).toBe(`/shop/api/v1/products/${product.id}`);
      expect((await send('GET', response.body[0].resource, { headers })).body).toEqual(product);
      expect(response.headers.get('link')).toContain(`</shop${API}${NOTIFICATIONS}?page=1&perPage=1>; rel="first"`);
    } finally {
      await deployment.close();
    }
  });
});
