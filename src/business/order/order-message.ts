import {
  OrderStatus as StatusMessage,
  PaymentMethod as PaymentMethodMessage,
  type Order as OrderMessage,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { lineTotal, type Order } from './order.ts';
import { ORDER_STATUSES, type OrderStatus } from './order-status.ts';
import { PAYMENT_METHODS, type PaymentMethod } from './payment-method.ts';

/** An order in the terms of its proto message. */
export function orderMessage(order: Order): OrderMessage {
  const { deliveryDate, deliveryAddress, note } = order;
  return {
    id: order.id,
    tenantId: order.tenantId,
    number: order.number,
    customerId: order.customerId,
    items: order.items.map((item) => ({ ...item, lineTotal: lineTotal(item) })),
    total: order.total,
    currency: order.currency,
    status: orderStatusMessage(order.status),
    paymentMethod: paymentMethodMessage(order.paymentMethod),
    ...(deliveryDate !== undefined && { deliveryDate }),
    ...(deliveryAddress !== undefined && { deliveryAddress }),
    ...(note !== undefined && { note }),
    productionPhotos: [...order.productionPhotos],
    deliveryPhotos: [...order.deliveryPhotos],
    createdAt: new Date(order.createdAt),
    updatedAt: new Date(order.updatedAt),
    version: order.version,
  };
}

/** A status in the terms of the proto; none is UNSPECIFIED. */
export function orderStatusMessage(status: OrderStatus | undefined): StatusMessage {
  return StatusMessage[`ORDER_STATUS_${status ?? 'UNSPECIFIED'}`];
}

/** The status that a message names; undefined for UNSPECIFIED and for numbers without a name. */
export function orderStatusOf(message: StatusMessage): OrderStatus | undefined {
  return ORDER_STATUSES.find((status) => orderStatusMessage(status) === message);
}

/** A payment method in the terms of the proto; none is UNSPECIFIED. */
export function paymentMethodMessage(method: PaymentMethod | undefined): PaymentMethodMessage {
  return PaymentMethodMessage[`PAYMENT_METHOD_${method ?? 'UNSPECIFIED'}`];
}

/** The payment method that a message names; undefined for UNSPECIFIED and for numbers without a name. */
export function paymentMethodOf(message: PaymentMethodMessage): PaymentMethod | undefined {
  return PAYMENT_METHODS.find((method) => paymentMethodMessage(method) === message);
}
