import type {
  ListPaymentMethodsRequest,
  ListPaymentMethodsResponse,
} from '../../../proto/gen/authservice/business/v1/reference_data_service.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { PAYMENT_METHOD, PAYMENT_METHOD_LABELS, PAYMENT_METHODS } from '../orders/payment-method.ts';
import { tenantOf } from '../tenant.ts';
import { itemsOn } from './items-on.ts';

/** ReferenceDataService.ListPaymentMethods. */
export async function listPaymentMethods(
  request: ListPaymentMethodsRequest,
  call: Call,
): Promise<ListPaymentMethodsResponse> {
  tenantOf(call);
  const page = pageOf(request, call);
  const methods = itemsOn(page, PAYMENT_METHODS).map((method) => ({
    method: PAYMENT_METHOD.valueOf(method),
    label: PAYMENT_METHOD_LABELS[method],
  }));
  return { methods, page: pageInfo(page, PAYMENT_METHODS.length) };
}
