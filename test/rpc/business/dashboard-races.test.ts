// The statistics of the dashboard after parallel changes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DashboardServiceService,
  type GetDashboardStatsResponse,
} from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { OrderStatus, type Order } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { ProductStatus, type Product } from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { tenantScope } from '../../../src/platform/db/query/tenant-scope.ts';
import { ORDER_STATUSES } from '../../../src/business/orders/order-status.ts';
import { ENGINES } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { line, openShop, type Shop } from '../../support/shop/core-shop.ts';
import { outcomeOf, tally } from '../../support/rpc-outcomes.ts';

const KINDS = 10;
const OF_EACH = 10;
/** On a busy machine some wait too long for the others; what they were refused must not count either. */
const REFUSALS = ['CONFLICT', 'INVALID_TRANSITION', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'];

describe.each(ENGINES)('on %s', (engine) => {
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await deploy({ engine, transport: 'local' });
  });
  afterAll(() => deployment?.close());

  it('statistics are exact after 100 parallel writes of all kinds', { timeout: 60_000 }, async () => {
    const shop = await openShop(deployment);
    const dashboard = deployment.client(DashboardServiceService);
    const [euros, dollars] = [
      await shop.product({ price: 1_234, stock: 1_000, reorderLevel: 950 }),
      await shop.product({ price: 999, stock: 1_000, currency: 'USD' }),
    ];
    const orders: Order[] = [];
    const products: Product[] = [];
    for (let index = 0; index < OF_EACH; index += 1) {
      orders.push(await shop.place({ items: [line(euros, 1 + index)] }));
      products.push(await shop.product({ stock: index % 3, reorderLevel: 1 }));
    }

    const change = ({ id }: Product, fields: object, updateMask: string[]) =>
      shop.products.updateProduct(
        { productId: id, product: { status: 0, images: [], ...fields }, updateMask },
        shop.as,
      );
    const writes: readonly ((index: number) => Promise<unknown>)[] = [
      (index) => shop.place({ items: [line(euros, 1 + index)] }),
      () => shop.place({ items: [line(dollars, 1)] }),
      (index) => shop.setStatus(orders[index]!, 'CONFIRMED'),
      (index) => shop.setStatus(orders[(index * 3) % OF_EACH]!, 'CANCELLED'),
      (index) => shop.remove(orders[(index * 7) % OF_EACH]!),
      (index) => shop.change(orders[(index * 9) % OF_EACH]!, { items: [line(euros, 20)] }),
      (index) => shop.product({ stock: index, reorderLevel: 5 }),
      (index) => change(products[index]!, { stock: 2 - (index % 3) }, ['stock']),
      (index) =>
        index % 2 === 0
          ? change(products[(index * 3) % OF_EACH]!, { status: ProductStatus.PRODUCT_STATUS_ARCHIVED }, ['status'])
          : shop.products.deleteProduct({ productId: products[(index * 3) % OF_EACH]!.id }, shop.as),
      () => shop.customerId(),
    ];
    const outcomes = await Promise.all(
      Array.from({ length: KINDS * OF_EACH }, (_, index) =>
        outcomeOf(writes[index % KINDS]!(Math.floor(index / KINDS))),
      ),
    );
    const { OK: succeeded = 0, ...refused } = tally(outcomes);
    expect(succeeded).toBeGreaterThan(OF_EACH);
    expect(REFUSALS).toEqual(expect.arrayContaining(Object.keys(refused)));
    expect(await dashboard.getDashboardStats({}, shop.as)).toEqual(await recount(shop));
  });

  /** The same figures, counted row by row. All of today: the clock stands still. */
  async function recount({ tenantId }: Shop): Promise<GetDashboardStatsResponse> {
    const scope = tenantScope(deployment.database, tenantId);
    const orders = await scope.query<{ status: string; currency: string; total: number }>(
      'SELECT status, currency, total FROM orders WHERE tenant_id = :tenant',
    );
    const products = await scope.query<{ status: string; stock: number; reorder_level: number }>(
      'SELECT status, stock, reorder_level FROM products WHERE tenant_id = :tenant',
    );
    const customers = await scope.query('SELECT id FROM customers WHERE tenant_id = :tenant');
    const revenue = orders
      .filter(({ status, currency }) => status !== 'CANCELLED' && currency === 'EUR')
      .reduce((sum, { total }) => sum + total, 0);
    return {
      ordersToday: orders.length,
      openOrders: orders.filter(({ status }) => !['COMPLETED', 'CANCELLED'].includes(status)).length,
      revenueToday: revenue,
      revenueThisMonth: revenue,
      ordersByStatus: ORDER_STATUSES.map((status) => ({
        status: OrderStatus[`ORDER_STATUS_${status}`],
        count: orders.filter((order) => order.status === status).length,
      })),
      customers: customers.length,
      newCustomersThisMonth: customers.length,
      products: products.length,
      lowStockProducts: products.filter(
        ({ status, stock, reorder_level: level }) => status !== 'ARCHIVED' && stock <= level,
      ).length,
      currency: 'EUR',
    };
  }
});
