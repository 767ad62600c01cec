import type { Order as OrderMessage } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { lineTotal, type Order } from './order.ts';
import { ORDER_STATUS } from './order-status.ts';
import { PAYMENT_METHOD } from './payment-method.ts';

/** Converts an order to its proto message. */
export function orderMessage(order: Order): OrderMessage {
  return {
    id: order.id,
    tenantId: order.tenantId,
    number: order.number,
    customerId: order.customerId,
    items: order.items.map((item) => ({ ...item, lineTotal: lineTotal(item) })),
    total: order.total,
    currency: order.currency,
    status: ORDER_STATUS.valueOf(order.status),
    paymentMethod: PAYMENT_METHOD.valueOf(order.paymentMethod),
    deliveryDate: order.deliveryDate,
    deliveryAddress: order.deliveryAddress,
    note: order.note,
    productionPhotos: [...order.productionPhotos],
    deliveryPhotos: [...order.deliveryPhotos],
    createdAt: new Date(order.createdAt),
    updatedAt: new Date(order.updatedAt),
    version: order.version,
  };
}
