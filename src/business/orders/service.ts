import { OrderServiceService } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { type Service, implement } from '../../platform/rpc/service.ts';
import { createCreateOrder } from './create-order.ts';
import { createDeleteOrder } from './delete-order.ts';
import { createGetOrder, createListOrderStatusHistory, createListOrders } from './read-orders.ts';
import { createIdempotency } from './idempotency.ts';
import { createSetOrderStatus } from './set-order-status.ts';
import { createUpdateOrder } from './update-order.ts';

export interface OrderDependencies {
  readonly database: Database;
  readonly clock: Clock;
}

export function orderService(dependencies: OrderDependencies): Service {
  return implement(OrderServiceService, {
    listOrders: createListOrders(dependencies),
    getOrder: createGetOrder(dependencies),
    createOrder: createCreateOrder({ ...dependencies, idempotency: createIdempotency(dependencies) }),
    updateOrder: createUpdateOrder(dependencies),
    setOrderStatus: createSetOrderStatus(dependencies),
    deleteOrder: createDeleteOrder(dependencies),
    listOrderStatusHistory: createListOrderStatusHistory(dependencies),
  });
}
