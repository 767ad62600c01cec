import type {
  ListRecentOrdersRequest,
  ListRecentOrdersResponse,
} from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import type { Database } from '../../platform/db/types.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { selectOrders } from '../orders/order-list-store.ts';
import { orderMessage } from '../orders/order.ts';
import { tenantOf } from '../tenant.ts';

/** DashboardService.ListRecentOrders. */
export function createListRecentOrders({ database }: { readonly database: Database }) {
  return async (request: ListRecentOrdersRequest, call: Call): Promise<ListRecentOrdersResponse> => {
    const tenantId = tenantOf(call);
    const page = pageOf(request, call);
    const { orders, total } = await selectOrders(database, tenantId, {}, page);
    return { orders: orders.map(orderMessage), page: pageInfo(page, total) };
  };
}
