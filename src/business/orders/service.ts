// Orders of the shop.
// Decides: which status may follow (`order-status.ts`), what an order reserves, and whether a request was sent before (`idempotency.ts`).
// States: NEW, CONFIRMED, IN_PRODUCTION, READY, OUT_FOR_DELIVERY, DELIVERED, COMPLETED or CANCELLED.
// Tables: order_idempotency_keys, order_items, order_status_changes, orders.
// Routes: /orders, /orders/:id, /orders/:id/{status, status-history}.
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
