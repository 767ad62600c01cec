import type {
  GetOrderRequest,
  GetOrderResponse,
  ListOrderStatusHistoryRequest,
  ListOrderStatusHistoryResponse,
  ListOrdersRequest,
  ListOrdersResponse,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { type Order, changeMessage, orderMessage } from './order.ts';
import { isId } from '../../platform/db/ids.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { tenantOf } from '../tenant.ts';
import { ORDERS, type OrderFilter, selectOrders } from './order-store.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import { timeRange } from '../../platform/rpc/request-violations.ts';
import { parseSort } from '../sort.ts';
import { ORDER_STATUS } from './order-status.ts';
import { selectStatusChanges } from './status-change-store.ts';

/** Finds the order that a request names, within the caller's tenant. Throws NOT_FOUND. */
export function createFindOrder({ database }: { readonly database: Statements }) {
  return async ({ orderId }: { readonly orderId: string }, call: Call): Promise<Order> => {
    const tenantId = tenantOf(call);
    const order = isId(orderId) ? await ORDERS.find(database, tenantId, orderId) : undefined;
    if (!order) throw new ServiceError('NOT_FOUND');
    return order;
  };
}

/** OrderService.GetOrder. */
export function createGetOrder(dependencies: { readonly database: Statements }) {
  return loadThenHandle(
    createFindOrder(dependencies),
    async (_request: GetOrderRequest, _call, order): Promise<GetOrderResponse> => ({ order: orderMessage(order) }),
  );
}

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

/** OrderService.ListOrderStatusHistory. */
export function createListOrderStatusHistory({ database }: { readonly database: Statements }) {
  return loadThenHandle(
    createFindOrder({ database }),
    async (request: ListOrderStatusHistoryRequest, call, order): Promise<ListOrderStatusHistoryResponse> => {
      const page = pageOf(request, call);
      const { items, total } = await selectStatusChanges(database, order, page);
      return { changes: items.map(changeMessage), page: pageInfo(page, total) };
    },
  );
}
