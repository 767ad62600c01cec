import Type from 'typebox';
import type { GetDashboardStatsResponse } from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { LIST_FAILURES } from '../failures.ts';
import { amountOf } from '../money.ts';
import { ORDER_STATUSES, orderStatusCode, type OrderStatusCode } from '../orders/codes.ts';
import { sent } from '../sent.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

function byStatus<Value>(entries: [OrderStatusCode, Value][]) {
  return Object.fromEntries(entries) as Record<OrderStatusCode, Value>;
}

const Stats = Type.Object(
  {
    ordersToday: Count('Orders placed today, cancelled ones included.'),
    openOrders: Count('Orders that are neither COMPLETED nor CANCELLED.'),
    revenueToday: Type.Number({ description: "The sum of today's orders in EUR that are not cancelled." }),
    revenueThisMonth: Type.Number({ description: 'The same for this month.' }),
    ordersByStatus: Type.Object(byStatus(ORDER_STATUSES.map((code) => [code, Count('Orders of this status.')])), {
      title: 'OrdersByStatus',
      description: 'All orders, cancelled ones included.',
    }),
    customers: Count('All customers.'),
    newCustomersThisMonth: Count('Customers added this month.'),
    products: Count('All products.'),
    lowStockProducts: Count('Products whose stock is low; ARCHIVED ones are left out.'),
    currency: Type.String({ description: 'EUR.' }),
  },
  { title: 'GetDashboardStatsResponse', description: 'Figures of this moment. Days and months are those of UTC.' },
);

/** Shows a tenant's figures. */
export function getDashboardStats(): Endpoint {
  return (app, { dashboard: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: LIST_FAILURES },
      schema: {
        summary: "Show the tenant's figures",
        tags: ['Dashboard'],
        security: SECURITY,
        response: { 200: Stats },
      },
      onRequest: revalidated,
      errorHandler: coreFirst((_request, options) => service.getDashboardStats({}, options)),
      handler: async (request) => statsBody(await service.getDashboardStats({}, callOptions(request))),
    });
}

function statsBody({ revenueToday, revenueThisMonth, ordersByStatus, ...figures }: GetDashboardStatsResponse) {
  return {
    ...figures,
    revenueToday: amountOf(revenueToday),
    revenueThisMonth: amountOf(revenueThisMonth),
    ordersByStatus: byStatus(
      ordersByStatus.map(({ status, count }) => [sent(orderStatusCode(status), 'status'), count]),
    ),
  };
}
