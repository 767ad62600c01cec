import type {
  ListOrderStatusesRequest,
  ListOrderStatusesResponse,
  OrderStatusDescription,
} from '../../../proto/gen/authservice/business/v1/reference_data_service.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import type { Call } from '../../platform/rpc/types.ts';
import {
  ORDER_STATUS,
  isTerminal,
  ORDER_STATUS_TABLE,
  ORDER_STATUSES,
  type OrderStatus,
} from '../orders/order-status.ts';
import { tenantOf } from '../tenant.ts';
import { itemsOn } from './items-on.ts';

/** ReferenceDataService.ListOrderStatuses. */
export async function listOrderStatuses(
  request: ListOrderStatusesRequest,
  call: Call,
): Promise<ListOrderStatusesResponse> {
  tenantOf(call);
  const page = pageOf(request, call);
  return {
    statuses: itemsOn(page, ORDER_STATUSES).map(descriptionOf),
    page: pageInfo(page, ORDER_STATUSES.length),
  };
}

function descriptionOf(status: OrderStatus): OrderStatusDescription {
  const { label, next } = ORDER_STATUS_TABLE[status];
  return {
    status: ORDER_STATUS.valueOf(status),
    label,
    terminal: isTerminal(status),
    next: next.map(ORDER_STATUS.valueOf),
  };
}
