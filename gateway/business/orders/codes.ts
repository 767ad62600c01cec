// The names of statuses and payment methods in JSON, and what the core calls them.
import {
  OrderStatus,
  orderStatusToJSON,
  PaymentMethod,
  paymentMethodToJSON,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';

/** How far an order can be, in the order of its life. */
export const ORDER_STATUSES = [
  'NEW',
  'CONFIRMED',
  'IN_PRODUCTION',
  'READY',
  'OUT_FOR_DELIVERY',
  'DELIVERED',
  'COMPLETED',
  'CANCELLED',
] as const;
export type OrderStatusCode = (typeof ORDER_STATUSES)[number];

/** How an order can be paid. */
export const PAYMENT_METHODS = ['CASH', 'CARD', 'BANK_TRANSFER', 'INVOICE', 'ONLINE'] as const;
export type PaymentMethodCode = (typeof PAYMENT_METHODS)[number];

const STATUS_PREFIX = 'ORDER_STATUS_';
const METHOD_PREFIX = 'PAYMENT_METHOD_';

/** A status in the core's terms; none is UNSPECIFIED. */
export function orderStatusOf(code: OrderStatusCode | undefined): OrderStatus {
  return OrderStatus[`${STATUS_PREFIX}${code ?? 'UNSPECIFIED'}`];
}

/** A status as JSON names it; undefined for UNSPECIFIED. */
export function orderStatusCode(status: OrderStatus): OrderStatusCode | undefined {
  return ORDER_STATUSES.find((code) => `${STATUS_PREFIX}${code}` === orderStatusToJSON(status));
}

/** A payment method in the core's terms; none is UNSPECIFIED. */
export function paymentMethodOf(code: PaymentMethodCode | undefined): PaymentMethod {
  return PaymentMethod[`${METHOD_PREFIX}${code ?? 'UNSPECIFIED'}`];
}

/** A payment method as JSON names it; undefined for UNSPECIFIED. */
export function paymentMethodCode(method: PaymentMethod): PaymentMethodCode | undefined {
  return PAYMENT_METHODS.find((code) => `${METHOD_PREFIX}${code}` === paymentMethodToJSON(method));
}
