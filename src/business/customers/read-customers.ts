import type {
  GetCustomerRequest,
  GetCustomerResponse,
  ListCustomersRequest,
  ListCustomersResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { CUSTOMER_STATUS, type Customer, customerMessage } from './customer.ts';
import { isId } from '../../platform/db/ids.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { tenantOf } from '../tenant.ts';
import { CUSTOMERS, CUSTOMER_SORT_COLUMNS, selectCustomers } from './customer-store.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import { parseSort } from '../sort.ts';

/** Finds the customer that a request names, within the caller's tenant. Throws NOT_FOUND. */
export function createFindCustomer({ database }: { readonly database: Statements }) {
  return async ({ customerId }: { readonly customerId: string }, call: Call): Promise<Customer> => {
    const tenantId = tenantOf(call);
    const customer = isId(customerId) ? await CUSTOMERS.find(database, tenantId, customerId) : undefined;
    if (!customer) throw new ServiceError('NOT_FOUND');
    return customer;
  };
}

/** CustomerService.GetCustomer. */
export function createGetCustomer(dependencies: { readonly database: Statements }) {
  return loadThenHandle(
    createFindCustomer(dependencies),
    async (_request: GetCustomerRequest, _call, customer): Promise<GetCustomerResponse> => ({
      customer: customerMessage(customer),
    }),
  );
}

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
