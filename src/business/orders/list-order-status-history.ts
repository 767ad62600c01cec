import type {
  ListOrderStatusHistoryRequest,
  ListOrderStatusHistoryResponse,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Statements } from '../../platform/db/types.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { createFindOrder } from './existing-order.ts';
import { changeMessage } from './order.ts';
import { selectStatusChanges } from './status-change-store.ts';

/** OrderService.ListOrderStatusHistory. */
export function createListOrderStatusHistory({ database }: { readonly database: Statements }) {
  return loadThenHandle(
    createFindOrder({ database }),
    async (request: ListOrderStatusHistoryRequest, call, order): Promise<ListOrderStatusHistoryResponse> => {
      const page = pageOf(request, call);
      const { items, total } = await selectStatusChanges(database, order, page);
      return { changes: items.map(changeMessage), page: pageInfo(page, total) };
    },
  );
}
