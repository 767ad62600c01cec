import type {
  ListCustomersRequest,
  ListCustomersResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Database } from '../../platform/db/types.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { parseSort } from '../sort.ts';
import { tenantOf } from '../tenant.ts';
import { CUSTOMER_STATUS } from './customer.ts';
import { CUSTOMER_SORT_COLUMNS, selectCustomers } from './customer-store.ts';
import { customerMessage } from './customer.ts';

/** CustomerService.ListCustomers. */
export function createListCustomers({ database }: { readonly database: Database }) {
  return async (request: ListCustomersRequest, call: Call): Promise<ListCustomersResponse> => {
    const tenantId = tenantOf(call);
    const page = pageOf(request, call);
    const filter = { query: request.query, status: CUSTOMER_STATUS.nameOf(request.status) };
    const sort = parseSort(request.sort, CUSTOMER_SORT_COLUMNS);
    const { items, total } = await selectCustomers(database, tenantId, filter, sort, page);
    return { customers: items.map(customerMessage), page: pageInfo(page, total) };
  };
}
