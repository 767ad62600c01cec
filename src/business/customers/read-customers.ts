import type * as proto from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { CUSTOMER_STATUS, type Customer, customerMessage } from './customer.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { findRecord } from '../change-record.ts';
import type { Reads } from '../dependencies.ts';
import { tenantOf } from '../../platform/rpc/tenant.ts';
import { CUSTOMERS, CUSTOMER_SORT_COLUMNS, selectCustomers } from './customer-store.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import { parseSort } from '../sort.ts';

/** Finds the customer that a request names, within the caller's tenant. Throws NOT_FOUND. */
export function createFindCustomer({ database }: Reads) {
  return ({ customerId }: { readonly customerId: string }, call: Call): Promise<Customer> =>
    findRecord(database, CUSTOMERS, customerId, call);
}

/** CustomerService.GetCustomer and ListCustomers. */
export function customerReads({ database }: Reads) {
  return {
    getCustomer: loadThenHandle(
      createFindCustomer({ database }),
      async (_request: proto.GetCustomerRequest, _call, customer): Promise<proto.GetCustomerResponse> => ({
        customer: customerMessage(customer),
      }),
    ),
    async listCustomers(request: proto.ListCustomersRequest, call: Call): Promise<proto.ListCustomersResponse> {
      const tenantId = tenantOf(call);
      const page = pageOf(request, call);
      const filter = { query: request.query, status: CUSTOMER_STATUS.nameOf(request.status) };
      const sort = parseSort(request.sort, CUSTOMER_SORT_COLUMNS);
      const { items, total } = await selectCustomers(database, tenantId, filter, sort, page);
      return { customers: items.map(customerMessage), page: pageInfo(page, total) };
    },
  };
}
