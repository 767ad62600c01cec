// Names of statuses and payment methods, for display.
// Decides: nothing.
// States: none
// Tables: none.
// Routes: /reference-data/{order-statuses, payment-methods}.
import {
  type ListOrderStatusesRequest,
  type ListOrderStatusesResponse,
  type ListPaymentMethodsRequest,
  type ListPaymentMethodsResponse,
  type OrderStatusDescription,
  ReferenceDataServiceService,
} from '../../../proto/gen/authservice/business/v1/reference_data_service.ts';
import { type Service, implement } from '../../platform/rpc/service.ts';
import type { Page } from '../../platform/db/query/page.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import type { Call } from '../../platform/rpc/types.ts';
import {
  ORDER_STATUS,
  ORDER_STATUSES,
  ORDER_STATUS_TABLE,
  type OrderStatus,
  isTerminal,
} from '../orders/order-status.ts';
import { tenantOf } from '../../platform/rpc/tenant.ts';
import { PAYMENT_METHOD, PAYMENT_METHODS, PAYMENT_METHOD_LABELS } from '../orders/order.ts';

export function referenceDataService(): Service {
  return implement(ReferenceDataServiceService, { listOrderStatuses, listPaymentMethods });
}

/** Returns the items of a short list that are on a page. */
function itemsOn<Item>({ offset, perPage }: Page, items: readonly Item[]): readonly Item[] {
  return items.slice(offset, offset + perPage);
}

/** ReferenceDataService.ListOrderStatuses. */
async function listOrderStatuses(request: ListOrderStatusesRequest, call: Call): Promise<ListOrderStatusesResponse> {
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

/** ReferenceDataService.ListPaymentMethods. */
async function listPaymentMethods(request: ListPaymentMethodsRequest, call: Call): Promise<ListPaymentMethodsResponse> {
  tenantOf(call);
  const page = pageOf(request, call);
  const methods = itemsOn(page, PAYMENT_METHODS).map((method) => ({
    method: PAYMENT_METHOD.valueOf(method),
    label: PAYMENT_METHOD_LABELS[method],
  }));
  return { methods, page: pageInfo(page, PAYMENT_METHODS.length) };
}
