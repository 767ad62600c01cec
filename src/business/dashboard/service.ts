import { DashboardServiceService } from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import { createGetDashboardStats } from './dashboard.ts';
import { createListInventoryAlerts } from './list-inventory-alerts.ts';
import { createListNotifications } from './list-notifications.ts';
import { createListRecentOrders } from './list-recent-orders.ts';

/** The dashboard only reads. */
export function dashboardService(dependencies: { readonly database: Database; readonly clock: Clock }): Service {
  return implement(DashboardServiceService, {
    getDashboardStats: createGetDashboardStats(dependencies),
    listRecentOrders: createListRecentOrders(dependencies),
    listInventoryAlerts: createListInventoryAlerts(dependencies),
    listNotifications: createListNotifications(dependencies),
  });
}
