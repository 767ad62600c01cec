import type {
  ListOrdersRequest,
  ListOrdersResponse,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { isId } from '../../db/ids.ts';
import type { Database } from '../../db/types.ts';
import { pageInfo, pageOf } from '../../paging.ts';
import { createRequestCheck, queryText, type RequestCheck } from '../../request-check.ts';
import type { Call } from '../../rpc/types.ts';
import { sortOf } from '../sort.ts';
import { tenantOf } from '../tenant.ts';
import { checkStatus } from './order-input.ts';
import { ORDER_SORT_FIELDS, selectOrders, type OrderFilter } from './order-list-store.ts';
import { orderMessage } from './order-message.ts';

/** OrderService.ListOrders. */
export function createListOrders({ database }: { readonly database: Database }) {
  return async (request: ListOrdersRequest, call: Call): Promise<ListOrdersResponse> => {
    const tenantId = tenantOf(call);
    const page = pageOf(request.page);
    const check = createRequestCheck();
    const filter = filterOf(check, request);
    const sort = sortOf(check, request.sort, ORDER_SORT_FIELDS);
    check.demandValid('The orders cannot be listed');

    const { orders, total } = await selectOrders(database, tenantId, filter, page, sort);
    return { orders: orders.map(orderMessage), page: pageInfo(page, total) };
  };
}

function filterOf(check: RequestCheck, request: ListOrdersRequest): OrderFilter {
  const { customerId } = request;
  if (customerId !== undefined && !isId(customerId)) {
    check.violate({ message: 'must be an id', format: 'uuid', props: ['customerId'] });
  }
  const from = check.time('from', request.from);
  const to = check.time('to', request.to);
  if (from !== undefined && to !== undefined && from > to) {
    check.violate({ message: 'must not be later than to', format: 'range', props: ['from'] });
  }
  const status = checkStatus(check, request.status);
  return { status, customerId, from, to, query: queryText(check, request.query) };
}
