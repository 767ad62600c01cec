import type * as proto from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { pageInfo, pageOf, readerOf } from '../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { type CurrencyStats, selectCustomerStats, selectOrders } from '../orders/order-store.ts';
import type { Reads } from '../dependencies.ts';
import { createFindCustomer } from './read-customers.ts';
import { orderMessage } from '../orders/order.ts';

/** CustomerService.ListCustomerOrders and GetCustomerStats. */
export function customerOrderReads({ database }: Reads) {
  const find = createFindCustomer({ database });
  return {
    listCustomerOrders: loadThenHandle(
      find,
      async (request: proto.ListCustomerOrdersRequest, call, customer): Promise<proto.ListCustomerOrdersResponse> => {
        const page = pageOf(request, call);
        const { orders, total } = await selectOrders(database, customer.tenantId, { customerId: customer.id }, page);
        return { orders: orders.map(orderMessage), page: pageInfo(page, total) };
      },
    ),
    getCustomerStats: loadThenHandle(
      find,
      async (_request: proto.GetCustomerStatsRequest, call, customer): Promise<proto.GetCustomerStatsResponse> => {
        const currencies = await selectCustomerStats(database, customer, readerOf(call));
        const { firstOrderAt, lastOrderAt, ...stats } = customerStatsOf(currencies);
        return { ...stats, firstOrderAt: optionalDate(firstOrderAt), lastOrderAt: optionalDate(lastOrderAt) };
      },
    ),
  };
}

function optionalDate(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}

const NONE = { currency: 'EUR', orderCount: 0, total: 0, firstOrderAt: undefined, lastOrderAt: undefined };

/**
 * Returns the statistics of the currency with the most orders. On a tie, the alphabetically first currency counts.
 * Amounts are in hundredths, the average is rounded half up and 0 without orders. Times are in Unix milliseconds.
 */
export function customerStatsOf(currencies: readonly CurrencyStats[]) {
  const byOrders = (a: CurrencyStats, b: CurrencyStats) =>
    b.orderCount - a.orderCount || (a.currency < b.currency ? -1 : 1);
  const [main = NONE] = currencies.toSorted(byOrders);
  const { total: totalSpent, ...stats } = main;
  return { ...stats, totalSpent, averageOrderValue: Math.round(totalSpent / (stats.orderCount || 1)) };
}
