import type * as proto from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { type Order, changeMessage, orderMessage } from './order.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { findRecord } from '../change-record.ts';
import type { Reads } from '../dependencies.ts';
import { tenantOf } from '../../platform/rpc/tenant.ts';
import { ORDERS, type OrderFilter, selectOrders } from './order-store.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import { timeRange } from '../../platform/rpc/request-violations.ts';
import { parseSort } from '../sort.ts';
import { ORDER_STATUS } from './order-status.ts';
import { selectStatusChanges } from './status-change-store.ts';

/** Finds the order that a request names, within the caller's tenant. Throws NOT_FOUND. */
export function createFindOrder({ database }: Reads) {
  return ({ orderId }: { readonly orderId: string }, call: Call): Promise<Order> =>
    findRecord(database, ORDERS, orderId, call);
}

/** OrderService.GetOrder, ListOrders and ListOrderStatusHistory. */
export function orderReads({ database }: Reads) {
  const find = createFindOrder({ database });
  return {
    getOrder: loadThenHandle(
      find,
      async (_request: proto.GetOrderRequest, _call, order): Promise<proto.GetOrderResponse> => ({
        order: orderMessage(order),
      }),
    ),
    async listOrders(request: proto.ListOrdersRequest, call: Call): Promise<proto.ListOrdersResponse> {
      const tenantId = tenantOf(call);
      const page = pageOf(request, call);
      const filter = filterOf(request);
      const { orders, total } = await selectOrders(database, tenantId, filter, page, parseSort(request.sort));
      return { orders: orders.map(orderMessage), page: pageInfo(page, total) };
    },
    listOrderStatusHistory: loadThenHandle(
      find,
      async (
        request: proto.ListOrderStatusHistoryRequest,
        call,
        order,
      ): Promise<proto.ListOrderStatusHistoryResponse> => {
        const page = pageOf(request, call);
        const { items, total } = await selectStatusChanges(database, order, page);
        return { changes: items.map(changeMessage), page: pageInfo(page, total) };
      },
    ),
  };
}

function filterOf({ query, customerId, ...request }: proto.ListOrdersRequest): OrderFilter {
  const { from, end } = timeRange(request.from, request.to, 'to');
  return { status: ORDER_STATUS.nameOf(request.status), customerId, from, to: end, query };
}
