import { OrderServiceService } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { type Service, implement } from '../../platform/rpc/service.ts';
import type { Dependencies } from '../dependencies.ts';
import { createOrderCreation } from './create-order.ts';
import { createDeleteOrder } from './delete-order.ts';
import { orderReads } from './read-orders.ts';
import { createSetOrderStatus } from './set-order-status.ts';
import { createUpdateOrder } from './update-order.ts';

export function orderService(dependencies: Dependencies): Service {
  return implement(OrderServiceService, {
    ...orderReads(dependencies),
    createOrder: createOrderCreation(dependencies),
    updateOrder: createUpdateOrder(dependencies),
    setOrderStatus: createSetOrderStatus(dependencies),
    deleteOrder: createDeleteOrder(dependencies),
  });
}
