import type {
  GetCustomerStatsRequest,
  GetCustomerStatsResponse,
  ListCustomerOrdersRequest,
  ListCustomerOrdersResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Database } from '../../platform/db/types.ts';
import { pageInfo, pageOf, readerOf } from '../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { type CurrencyStats, selectCustomerStats, selectOrders } from '../orders/order-store.ts';
import { createFindCustomer } from './read-customers.ts';
import { orderMessage } from '../orders/order.ts';

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

/** CustomerService.GetCustomerStats. */
export function createGetCustomerStats({ database }: { readonly database: Database }) {
  return loadThenHandle(
    createFindCustomer({ database }),
    async (_request: GetCustomerStatsRequest, call, { tenantId, id }): Promise<GetCustomerStatsResponse> => {
      const { firstOrderAt, lastOrderAt, ...stats } = customerStatsOf(
        await selectCustomerStats(database, tenantId, id, readerOf(call)),
      );
      return { ...stats, firstOrderAt: optionalDate(firstOrderAt), lastOrderAt: optionalDate(lastOrderAt) };
    },
  );
}

function optionalDate(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}

/** A customer's purchases in one currency. Amounts are in hundredths, times in Unix milliseconds. */
interface CustomerStats {
  readonly orderCount: number;
  readonly totalSpent: number;
  /** Rounded half up; 0 without orders. */
  readonly averageOrderValue: number;
  /** Undefined without orders. */
  readonly firstOrderAt: number | undefined;
  readonly lastOrderAt: number | undefined;
  /** ISO 4217. */
  readonly currency: string;
}

const NO_ORDERS: CustomerStats = {
  orderCount: 0,
  totalSpent: 0,
  averageOrderValue: 0,
  firstOrderAt: undefined,
  lastOrderAt: undefined,
  currency: 'EUR',
};

/** Returns the statistics of the currency with the most orders. On a tie, the alphabetically first currency counts. */
export function customerStatsOf(currencies: readonly CurrencyStats[]): CustomerStats {
  const [main] = currencies.toSorted((a, b) => b.orderCount - a.orderCount || (a.currency < b.currency ? -1 : 1));
  if (!main) return NO_ORDERS;
  const { currency, orderCount, total, firstOrderAt, lastOrderAt } = main;
  const averageOrderValue = Math.round(total / orderCount);
  return { currency, orderCount, totalSpent: total, averageOrderValue, firstOrderAt, lastOrderAt };
}
