// The statuses of orders and the allowed transitions between them.

import { OrderStatus as StatusMessage } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';

export const ORDER_STATUS = enumNames(StatusMessage, 'ORDER_STATUS_');
/** In the order of an order's life. */
export const ORDER_STATUSES = ORDER_STATUS.names;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

interface Entry {
  /** Label for display. */
  readonly label: string;
  /** The allowed next statuses; empty for a final status. */
  readonly next: readonly OrderStatus[];
}

/** The table of all allowed transitions. */
export const ORDER_STATUS_TABLE: Readonly<Record<OrderStatus, Entry>> = {
  NEW: { label: 'New', next: ['CONFIRMED', 'CANCELLED'] },
  CONFIRMED: { label: 'Confirmed', next: ['IN_PRODUCTION', 'CANCELLED'] },
  IN_PRODUCTION: { label: 'In production', next: ['READY', 'CANCELLED'] },
  // COMPLETED directly if the customer collects the order.
  READY: { label: 'Ready', next: ['OUT_FOR_DELIVERY', 'COMPLETED', 'CANCELLED'] },
  OUT_FOR_DELIVERY: { label: 'Out for delivery', next: ['DELIVERED'] },
  DELIVERED: { label: 'Delivered', next: ['COMPLETED'] },
  COMPLETED: { label: 'Completed', next: [] },
  CANCELLED: { label: 'Cancelled', next: [] },
};

/** Whether a status is final. */
export function isTerminal(status: OrderStatus): boolean {
  return ORDER_STATUS_TABLE[status].next.length === 0;
}

/** Whether items, customer and delivery can still change. */
export function isChangeable(status: OrderStatus): boolean {
  return status === 'NEW' || status === 'CONFIRMED';
}

/** Whether an order may be deleted. */
export function isDeletable(status: OrderStatus): boolean {
  return status === 'NEW' || status === 'CANCELLED';
}

/** Whether the units of an order are reserved from the stock. */
export function holdsStock(status: OrderStatus): boolean {
  return status !== 'CANCELLED';
}
