import type * as proto from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { StockSeverity } from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { pageInfo, pageOf, readerOf } from '../../platform/rpc/paging.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { Dependencies } from '../dependencies.ts';
import { readCount, readCounts } from '../counter-store.ts';
import { ORDER_STATUS, ORDER_STATUSES, isTerminal } from '../orders/order-status.ts';
import { tenantOf } from '../../platform/rpc/tenant.ts';
import { countNewCustomers, readOrderStatistics } from './statistics-store.ts';
import { countInventoryAlerts, selectInventoryAlerts } from './inventory-alert-store.ts';
import { utcDay, utcMonth } from './utc-calendar.ts';
import { selectOrders } from '../orders/order-store.ts';
import { orderMessage } from '../orders/order.ts';

/** The statistics cover one currency, because amounts of different currencies cannot be added. */
const CURRENCY = 'EUR';

/** DashboardService without ListNotifications. */
export function dashboardReads({ database, clock }: Dependencies) {
  return {
    async getDashboardStats(
      _request: proto.GetDashboardStatsRequest,
      call: Call,
    ): Promise<proto.GetDashboardStatsResponse> {
      const tenantId = tenantOf(call);
      const now = clock();
      const month = utcMonth(now);
      const reader = readerOf(call);
      const [today, thisMonth, orders, customers, newCustomersThisMonth, products, lowStockProducts] =
        await Promise.all([
          readOrderStatistics(database, tenantId, utcDay(now), CURRENCY, reader),
          readOrderStatistics(database, tenantId, month, CURRENCY, reader),
          readCounts(database, tenantId, 'orders'),
          readCount(database, tenantId, 'customers'),
          countNewCustomers(database, tenantId, month, reader),
          readCount(database, tenantId, 'products'),
          countInventoryAlerts(database, tenantId, reader),
        ]);
      const byStatus = ORDER_STATUSES.map((status) => ({ status, count: orders.get(status) ?? 0 }));
      return {
        ordersToday: today.orders,
        openOrders: byStatus.reduce((sum, { status, count }) => (isTerminal(status) ? sum : sum + count), 0),
        revenueToday: today.revenue,
        revenueThisMonth: thisMonth.revenue,
        ordersByStatus: byStatus.map(({ status, count }) => ({ status: ORDER_STATUS.valueOf(status), count })),
        customers,
        newCustomersThisMonth,
        products,
        lowStockProducts,
        currency: CURRENCY,
      };
    },
    async listRecentOrders(
      request: proto.ListRecentOrdersRequest,
      call: Call,
    ): Promise<proto.ListRecentOrdersResponse> {
      const tenantId = tenantOf(call);
      const page = pageOf(request, call);
      const { orders, total } = await selectOrders(database, tenantId, {}, page);
      return { orders: orders.map(orderMessage), page: pageInfo(page, total) };
    },
    async listInventoryAlerts(
      request: proto.ListInventoryAlertsRequest,
      call: Call,
    ): Promise<proto.ListInventoryAlertsResponse> {
      const tenantId = tenantOf(call);
      const page = pageOf(request, call);
      const { items, total } = await selectInventoryAlerts(database, tenantId, page);
      return {
        alerts: items.map((alert) => ({ ...alert, tenantId, severity: severityOf(alert.stock) })),
        page: pageInfo(page, total),
      };
    },
  };
}

function severityOf(stock: number): StockSeverity {
  return stock > 0 ? StockSeverity.STOCK_SEVERITY_LOW : StockSeverity.STOCK_SEVERITY_OUT;
}
