import type { GetOrderRequest, GetOrderResponse } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Statements } from '../../platform/db/types.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { createFindOrder } from './existing-order.ts';
import { orderMessage } from './order.ts';

/** OrderService.GetOrder. */
export function createGetOrder(dependencies: { readonly database: Statements }) {
  return loadThenHandle(
    createFindOrder(dependencies),
    async (_request: GetOrderRequest, _call, order): Promise<GetOrderResponse> => ({ order: orderMessage(order) }),
  );
}
