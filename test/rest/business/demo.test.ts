// The demo shops: records of every kind, as if they had been created by calls.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ORDER_STATUS_TABLE, ORDER_STATUSES, type OrderStatus } from '../../../src/business/orders/order-status.ts';
import { bytesToId } from '../../../src/platform/db/ids.ts';
import { createAccountStore } from '../../../src/auth/identity/account-store.ts';
import { createEmptyDatabase, ENGINES, type Engine } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { bearer } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { callerWith, type Caller } from '../../support/callers.ts';
import { all, figuresOf, LISTS } from './dashboard.ts';

const DEV = { 'app.env': 'DEV' };
const OWNERS = { acme: 'alice@acme.test', globex: 'gina@globex.test' } as const;
type Tenant = keyof typeof OWNERS;
const TENANTS = Object.keys(OWNERS) as Tenant[];

async function ownerOf(deployment: Deployment, tenant: Tenant): Promise<Caller> {
  const found = await createAccountStore(deployment.database).findByUsername(OWNERS[tenant]);
  const { accessToken } = await seedSession(deployment, found!.account);
  return callerWith(deployment.url, found!.account, bearer(accessToken));
}

const times = (records: { createdAt: string }[]): number[] => records.map(({ createdAt }) => Date.parse(createdAt));

/** How many rows of a table a tenant has by status. */
async function rowsOf({ database }: Deployment, table: string, tenant: string): Promise<Record<string, number>> {
  const rows = await database.query<{ status: string; count: number }>(
    `SELECT status, COUNT(*) AS count FROM ${table} WHERE tenant_id = ? GROUP BY status`,
    [Buffer.from(tenant)],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [`${table}:${status}`, count]));
}

/** On a server two processes open the same empty database at the same moment. */
async function start(engine: Engine): Promise<{ deployment: Deployment; close(): Promise<void> }> {
  const { url: databaseUrl, remove } = await createEmptyDatabase(engine);
  const options = { engine, transport: 'local', settings: DEV, databaseUrl } as const;
  const [deployment, ...others] = await Promise.all([
    deploy(options),
    ...(engine !== 'sqlite' ? [deploy(options)] : []),
  ]);
  for (const other of others) await other.close();
  return {
    deployment,
    async close() {
      await deployment.close();
      await remove();
    },
  };
}

describe.each(ENGINES)('on %s', (engine) => {
  let started: Awaited<ReturnType<typeof start>>;
  let deployment: Deployment;
  const owners = new Map<Tenant, Caller>();

  beforeAll(async () => {
    started = await start(engine);
    deployment = started.deployment;
    for (const tenant of TENANTS) owners.set(tenant, await ownerOf(deployment, tenant));
  });
  afterAll(() => started?.close());

  it('acme has records of every kind and status', async () => {
    const acme = owners.get('acme')!;
    const figures = await figuresOf(acme);
    expect(figures).toMatchObject({ products: 20, customers: 12 });
    expect(await rowsOf(deployment, 'products', 'acme')).toMatchObject({
      'products:INACTIVE': 1,
      'products:ARCHIVED': 1,
    });
    expect(await rowsOf(deployment, 'customers', 'acme')).toMatchObject({
      'customers:INACTIVE': 1,
      'customers:BLOCKED': 1,
    });
    for (const status of ORDER_STATUSES) expect(figures[`ordersByStatus.${status}`]).toBeGreaterThan(0);
    const [, alerts] = LISTS;
    const severities = (await all(acme, alerts)).map(({ severity }) => severity);
    expect(severities.filter((severity) => severity === 'OUT')).toHaveLength(1);
    expect(severities.filter((severity) => severity === 'LOW').length).toBeGreaterThan(2);
    const customers = await all(acme, '/customers');
    const notes = await Promise.all(customers.map(({ id }) => all(acme, `/customers/${id}/notes`)));
    expect(notes.flat().length).toBeGreaterThan(4);
    expect(Math.min(...times(customers))).toBeLessThan(Math.min(...times(notes.flat())));
    const types: string[] = (await all(acme, '/dashboard/notifications')).map(({ type }) => type);
    expect([...new Set(types)].toSorted()).toEqual(['ORDER_NEW', 'ORDER_OVERDUE', 'STOCK_LOW', 'STOCK_OUT']);
  });

  it.each(TENANTS)('%s: counters equal the numbers of records', async (tenant) => {
    const counters = await deployment.database.query<{ name: Uint8Array; value: number }>(
      'SELECT name, value FROM tenant_counters WHERE tenant_id = ? AND value <> 0 AND name <> ?',
      [Buffer.from(tenant), Buffer.from('order-number')],
    );
    const rows = {};
    for (const table of ['products', 'customers', 'orders'])
      Object.assign(rows, await rowsOf(deployment, table, tenant));
    expect(Object.fromEntries(counters.map(({ name, value }) => [Buffer.from(name).toString(), value]))).toEqual(rows);
  });

  it.each(TENANTS)('%s: orders have ascending times, after their customers were created', async (tenant) => {
    const owner = owners.get(tenant)!;
    const orders = (await all(owner, '/orders')).toReversed();
    expect(orders.length).toBeGreaterThan(4);
    expect(orders.map(({ number }) => number)).toEqual(orders.map((_order, index) => index + 1));
    expect(times(orders)).toEqual(times(orders).toSorted((a, b) => a - b));
    const customers = new Map((await all(owner, '/customers')).map((customer) => [customer.id, customer]));
    for (const { customerId, createdAt, items, total } of orders) {
      const customer = customers.get(customerId);
      expect(customer.status).not.toBe('BLOCKED');
      expect(Date.parse(customer.createdAt)).toBeLessThan(Date.parse(createdAt));
      expect(items.reduce((sum: number, { lineTotal }: any) => sum + Math.round(lineTotal * 100), 0) / 100).toBe(total);
    }
    for (const { stock } of await all(owner, '/products')) expect(stock).toBeGreaterThanOrEqual(0);
  });

  it.each(TENANTS)('%s: the history of every order leads to its status', async (tenant) => {
    const owner = owners.get(tenant)!;
    const accounts = await deployment.database.query<{ id: Uint8Array }>(
      'SELECT id FROM accounts WHERE tenant_id = ?',
      [Buffer.from(tenant)],
    );
    const staff = accounts.map(({ id }) => bytesToId(id));
    for (const order of await all(owner, '/orders')) {
      const history = (await owner.get(`/orders/${order.id}/status-history`)).body;
      expect(history[0]).toMatchObject({ to: 'NEW', at: order.createdAt });
      expect(history.at(-1)).toMatchObject({ to: order.status, at: order.updatedAt });
      for (const [index, { from, to, at, by }] of history.entries()) {
        expect(staff).toContain(by);
        const before = history[index - 1];
        if (before === undefined) continue;
        expect(from).toBe(before.to);
        expect(ORDER_STATUS_TABLE[from as OrderStatus].next).toContain(to);
        expect(Date.parse(at)).toBeGreaterThan(Date.parse(before.at));
      }
      expect(Date.parse(order.updatedAt)).toBeLessThanOrEqual(deployment.clock.now());
    }
  });

  it('is created once, and deleted records are not created again', async () => {
    const acme = owners.get('acme')!;
    const [product] = (await acme.get('/products')).body;
    expect((await acme.delete(`/products/${product.id}`)).status).toBe(204);
    const { databaseUrl } = deployment;
    const again = await deploy({ engine, transport: 'local', settings: DEV, databaseUrl });
    const { total } = (await again.database.query<{ total: number }>('SELECT COUNT(*) AS total FROM products'))[0]!;
    await again.close();
    expect(total).toBe(20 - 1 + 4);
  });
});

it('is created in DEV only', async () => {
  const deployment = await deploy({ engine: 'sqlite', transport: 'local' });
  const rows = await deployment.database.query('SELECT id FROM products');
  await deployment.close();
  expect(rows).toEqual([]);
});
