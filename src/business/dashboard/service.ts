// Numbers of the shop for its staff.
// Decides: nothing: it reads the tables of the others.
// States: none
// Tables: none.
// Routes: /dashboard/{stats, recent-orders, inventory-alerts, notifications}.
import { DashboardServiceService } from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { type Service, implement } from '../../platform/rpc/service.ts';
import type { Dependencies } from '../dependencies.ts';
import { dashboardReads } from './dashboard.ts';
import { createListNotifications } from './list-notifications.ts';

/** The dashboard only reads. */
export function dashboardService(dependencies: Dependencies): Service {
  return implement(DashboardServiceService, {
    ...dashboardReads(dependencies),
    listNotifications: createListNotifications(dependencies),
  });
}
