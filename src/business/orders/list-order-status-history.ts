import type {
  ListOrderStatusHistoryRequest,
  ListOrderStatusHistoryResponse,
  OrderStatusChange as ChangeMessage,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Statements } from '../../platform/db/types.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { createFindOrder } from './existing-order.ts';
import { ORDER_STATUS } from './order-status.ts';
import { selectStatusChanges, type StatusChange } from './status-change-store.ts';

/** OrderService.ListOrderStatusHistory. */
export function createListOrderStatusHistory({ database }: { readonly database: Statements }) {
  return loadThenHandle(
    createFindOrder({ database }),
    async (request: ListOrderStatusHistoryRequest, call, order): Promise<ListOrderStatusHistoryResponse> => {
      const page = pageOf(request, call);
      const { changes, total } = await selectStatusChanges(database, order, page);
      return { changes: changes.map((change) => changeMessage(change, order.tenantId)), page: pageInfo(page, total) };
    },
  );
}

function changeMessage({ from, to, at, by, note }: StatusChange, tenantId: string): ChangeMessage {
  return {
    from: ORDER_STATUS.valueOf(from),
    to: ORDER_STATUS.valueOf(to),
    at: new Date(at),
    by,
    tenantId,
    ...(note !== undefined && { note }),
  };
}
