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
