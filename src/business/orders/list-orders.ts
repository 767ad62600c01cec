import type {
  ListOrdersRequest,
  ListOrdersResponse,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Database } from '../../db/types.ts';
import { ServiceError } from '../../errors.ts';
import { pageInfo, pageOf } from '../../rpc/paging.ts';
import type { Call } from '../../rpc/types.ts';
import { parseSort } from '../sort.ts';
import { tenantOf } from '../tenant.ts';
import { selectOrders, type OrderFilter } from './order-list-store.ts';
import { orderMessage } from './order-message.ts';
import { ORDER_STATUS } from './order-status.ts';

/** OrderService.ListOrders. */
export function createListOrders({ database }: { readonly database: Database }) {
  return async (request: ListOrdersRequest, call: Call): Promise<ListOrdersResponse> => {
    const tenantId = tenantOf(call);
    const page = pageOf(request.page);
    const filter = filterOf(request);
    const sort = parseSort(request.sort);
    const { orders, total } = await selectOrders(database, tenantId, filter, page, sort);
    return { orders: orders.map(orderMessage), page: pageInfo(page, total) };
  };
}

function filterOf({ query, customerId, ...request }: ListOrdersRequest): OrderFilter {
  const [from, to] = [request.from?.getTime(), request.to?.getTime()];
  if (from !== undefined && to !== undefined && from > to) {
    const violation = { message: 'must not be later than to', format: 'range', props: ['from'] };
    throw new ServiceError('VALIDATION_ERROR', { violations: [violation] });
  }
  return { status: ORDER_STATUS.nameOf(request.status), customerId, from, to, query };
}
