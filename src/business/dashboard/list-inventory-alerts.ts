import {
  StockSeverity,
  type ListInventoryAlertsRequest,
  type ListInventoryAlertsResponse,
} from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import type { Database } from '../../platform/db/types.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { tenantOf } from '../tenant.ts';
import { selectInventoryAlerts } from './inventory-alert-store.ts';

/** DashboardService.ListInventoryAlerts. */
export function createListInventoryAlerts({ database }: { readonly database: Database }) {
  return async (request: ListInventoryAlertsRequest, call: Call): Promise<ListInventoryAlertsResponse> => {
    const tenantId = tenantOf(call);
    const page = pageOf(request, call);
    const { items, total } = await selectInventoryAlerts(database, tenantId, page);
    return {
      alerts: items.map((alert) => ({ ...alert, tenantId, severity: severityOf(alert.stock) })),
      page: pageInfo(page, total),
    };
  };
}

function severityOf(stock: number): StockSeverity {
  return stock > 0 ? StockSeverity.STOCK_SEVERITY_LOW : StockSeverity.STOCK_SEVERITY_OUT;
}
