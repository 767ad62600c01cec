// The dashboard: permissions, the order of checks and the separation of tenants.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../../src/auth/access/roles/built-in-roles.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { restClient } from '../../support/rest-client.ts';
import { API, caller, callerWith, type Caller } from '../../support/callers.ts';
import { DAY_MS, dateOf, figuresOf, LISTS, NOTHING, STATS } from './dashboard.ts';
import { openShop, placeOrder, setStatus } from '../../support/shop/orders.ts';
import { addProduct } from '../../support/shop/products.ts';

const ENDPOINTS = [STATS, ...LISTS];
const NO_PAGES = ['page=0', 'page=1000001', 'page=1&page=2', 'perPage=101', 'perPage=', 'sort=-createdAt', 'q=x'];
const REFUSED: readonly Role[] = ['SUPER_ADMIN', 'FLORIST', 'DELIVERY', 'AUDITOR', 'HELP_DESK'];

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let reader: Caller;

  beforeAll(async () => {
    deployment = await deploy(kind);
    reader = await caller(deployment, { roles: ['TENANT_USER'] });
  });
  afterAll(() => deployment?.close());

  it.each(ROLES)('%s', async (role) => {
    const by = await caller(deployment, { roles: [role], ...(role === 'SUPER_ADMIN' && { tenantId: undefined }) });
    for (const path of ENDPOINTS) {
      const response = await by.get(path);
      if (REFUSED.includes(role)) expect(response).toEqual(problem(403, 'permission-denied', API + path));
      else expect([path, response.status]).toEqual([path, 200]);
    }
  });

  it.each(ENDPOINTS)('%s returns 401 without a valid token', async (path) => {
    const { send } = restClient(deployment.url);
    for (const headers of [{}, { authorization: 'Bearer garbage' }]) {
      const response = await send('GET', API + path, { headers });
      expect(response).toEqual(problem(401, 'unauthorized', API + path));
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  it.each(ENDPOINTS)('%s returns the headers of GET for HEAD, and 405 for other methods', async (path) => {
    const { send } = restClient(deployment.url);
    const head = await send('HEAD', API + path, { headers: reader.headers });
    expect([head.status, head.text]).toEqual([200, '']);
    for (const response of [await reader.post(path, {}), await reader.delete(path)]) {
      expect(response).toEqual(problem(405, 'method-not-allowed', API + path));
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    }
  });

  it.each(LISTS)('%s accepts the paging parameters only', async (path) => {
    for (const query of NO_PAGES) {
      const response = await reader.get(`${path}?${query}`);
      expect([query, response]).toEqual([query, problem(400, 'validation-error', API + path)]);
    }
    const florist = await caller(deployment, { roles: ['FLORIST'] });
    expect((await florist.get(`${path}?${NO_PAGES[0]}`)).status).toBe(403);
  });

  it("returns records of the caller's tenant only", async () => {
    const one = await openShop(deployment, { tenantId: 'one' });
    const other = await openShop(deployment, { tenantId: 'other' });
    const late = { deliveryDate: dateOf(deployment.clock.now() - DAY_MS) };
    await addProduct(one.manager, { sku: 'same', name: 'of one' });
    const orders = [await placeOrder(one, late), await placeOrder(one, late)];
    await setStatus(one.manager, orders[0], 'CONFIRMED');

    const before = await figuresOf(other.manager);
    expect(before).toMatchObject({ customers: 1, products: 1, lowStockProducts: 0, ordersToday: 0, revenueToday: 0 });
    for (const path of LISTS) expect((await other.manager.get(path)).body).toEqual([]);

    await addProduct(other.manager, { sku: 'same', name: 'of the other' });
    const order = await placeOrder(other, late);
    expect(await figuresOf(one.manager)).toMatchObject({
      ordersToday: 2,
      openOrders: 2,
      revenueToday: 5,
      'ordersByStatus.NEW': 1,
      'ordersByStatus.CONFIRMED': 1,
      customers: 1,
      products: 2,
      lowStockProducts: 1,
    });
    const [recent, alerts, notifications] = await Promise.all(LISTS.map((path) => other.manager.get(path)));
    expect(recent!.body).toEqual([order]);
    expect(alerts!.body.map(({ name }: any) => name)).toEqual(['of the other']);
    expect(notifications!.body.map(({ type }: any) => type)).toEqual(['STOCK_OUT', 'ORDER_OVERDUE', 'ORDER_NEW']);
    expect((await caller(deployment, { tenantId: 'third' }).then((third) => third.get(STATS))).body).toEqual(NOTHING);
  });

  it('returns 401 after the tenant is suspended or the account is disabled', async () => {
    const suspended = await caller(deployment, { tenantId: 'suspended' });
    await deployment.database.execute("UPDATE tenants SET status = 'SUSPENDED' WHERE id = ?", [
      Buffer.from('suspended'),
    ]);
    expect((await suspended.get(STATS)).status).toBe(401);
    const disabled = await caller(deployment);
    expect((await disabled.get(STATS)).status).toBe(200);
    await deployment.database.execute('UPDATE accounts SET disabled = 1 WHERE username = ?', [
      Buffer.from(disabled.account.username),
    ]);
    expect((await disabled.get(STATS)).status).toBe(401);
    expect((await callerWith(deployment.url, disabled.account, {}).get(STATS)).status).toBe(401);
  });
});
