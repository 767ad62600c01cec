import type {
  ListCustomerOrdersRequest,
  ListCustomerOrdersResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Database } from '../../platform/db/types.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { selectOrders } from '../orders/order-list-store.ts';
import { orderMessage } from '../orders/order.ts';
import { createFindCustomer } from './existing-customer.ts';

/** CustomerService.ListCustomerOrders. */
export function createListCustomerOrders({ database }: { readonly database: Database }) {
  return loadThenHandle(
    createFindCustomer({ database }),
    async (request: ListCustomerOrdersRequest, call, { tenantId, id }): Promise<ListCustomerOrdersResponse> => {
      const page = pageOf(request, call);
      const { orders, total } = await selectOrders(database, tenantId, { customerId: id }, page);
      return { orders: orders.map(orderMessage), page: pageInfo(page, total) };
    },
  );
}
