import { DashboardServiceService } from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { type Service, implement } from '../../platform/rpc/service.ts';
import { createGetDashboardStats, createListInventoryAlerts, createListRecentOrders } from './dashboard.ts';
import { createListNotifications } from './list-notifications.ts';

/** The dashboard only reads. */
export function dashboardService(dependencies: { readonly database: Database; readonly clock: Clock }): Service {
  return implement(DashboardServiceService, {
    getDashboardStats: createGetDashboardStats(dependencies),
    listRecentOrders: createListRecentOrders(dependencies),
    listInventoryAlerts: createListInventoryAlerts(dependencies),
    listNotifications: createListNotifications(dependencies),
  });
}
