import type {
  GetCustomerStatsRequest,
  GetCustomerStatsResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Database } from '../../platform/db/types.ts';
import { readerOf } from '../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { selectCustomerStats } from '../orders/customer-stats-store.ts';
import { customerStatsOf } from './customer-stats.ts';
import { createFindCustomer } from './existing-customer.ts';

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
