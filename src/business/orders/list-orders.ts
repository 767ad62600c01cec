import type {
  ListOrdersRequest,
  ListOrdersResponse,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Database } from '../../platform/db/types.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import { timeRange } from '../../platform/rpc/request-violations.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { parseSort } from '../sort.ts';
import { tenantOf } from '../tenant.ts';
import { selectOrders, type OrderFilter } from './order-list-store.ts';
import { orderMessage } from './order.ts';
import { ORDER_STATUS } from './order-status.ts';

/** OrderService.ListOrders. */
export function createListOrders({ database }: { readonly database: Database }) {
  return async (request: ListOrdersRequest, call: Call): Promise<ListOrdersResponse> => {
    const tenantId = tenantOf(call);
    const page = pageOf(request, call);
    const filter = filterOf(request);
    const sort = parseSort(request.sort);
    const { orders, total } = await selectOrders(database, tenantId, filter, page, sort);
    return { orders: orders.map(orderMessage), page: pageInfo(page, total) };
  };
}

function filterOf({ query, customerId, ...request }: ListOrdersRequest): OrderFilter {
  const { from, end } = timeRange(request.from, request.to, 'to');
  return { status: ORDER_STATUS.nameOf(request.status), customerId, from, to: end, query };
}
