import type {
  ListCustomersRequest,
  ListCustomersResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Database } from '../../db/types.ts';
import { pageInfo, pageOf } from '../../paging.ts';
import { createRequestCheck, queryText } from '../../request-check.ts';
import type { Call } from '../../rpc/types.ts';
import { sortOf } from '../sort.ts';
import { tenantOf } from '../tenant.ts';
import { checkStatus } from './customer-input.ts';
import { CUSTOMER_SORT_FIELDS, selectCustomers } from './customer-list-store.ts';
import { customerMessage } from './customer-message.ts';

/** CustomerService.ListCustomers. */
export function createListCustomers({ database }: { readonly database: Database }) {
  return async (request: ListCustomersRequest, call: Call): Promise<ListCustomersResponse> => {
    const tenantId = tenantOf(call);
    const page = pageOf(request.page);
    const check = createRequestCheck();
    const filter = { query: queryText(check, request.query), status: checkStatus(check, request.status) };
    const sort = sortOf(check, request.sort, CUSTOMER_SORT_FIELDS);
    check.demandValid('The customers cannot be listed');

    const { items, total } = await selectCustomers(database, tenantId, filter, sort, page);
    return { customers: items.map(customerMessage), page: pageInfo(page, total) };
  };
}
