// How far an order is, and which way it can go from there.

import { OrderStatus as StatusMessage } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { enumNames } from '../../formats/enum-names.ts';

export const ORDER_STATUS = enumNames(StatusMessage, 'ORDER_STATUS_');
/** In the order of an order's life. */
export const ORDER_STATUSES = ORDER_STATUS.names;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

interface Entry {
  /** For people. */
  readonly label: string;
  /** The statuses that an order can have next; none where it has come to its end. */
  readonly next: readonly OrderStatus[];
}

/** The one table of the moves that there are. */
export const ORDER_STATUS_TABLE: Readonly<Record<OrderStatus, Entry>> = {
  NEW: { label: 'New', next: ['CONFIRMED', 'CANCELLED'] },
  CONFIRMED: { label: 'Confirmed', next: ['IN_PRODUCTION', 'CANCELLED'] },
  IN_PRODUCTION: { label: 'In production', next: ['READY', 'CANCELLED'] },
  // Completed at once where the customer collects it.
  READY: { label: 'Ready', next: ['OUT_FOR_DELIVERY', 'COMPLETED', 'CANCELLED'] },
  OUT_FOR_DELIVERY: { label: 'Out for delivery', next: ['DELIVERED'] },
  DELIVERED: { label: 'Delivered', next: ['COMPLETED'] },
  COMPLETED: { label: 'Completed', next: [] },
  CANCELLED: { label: 'Cancelled', next: [] },
};

/** Whether an order of this status never gets another. */
export function isTerminal(status: OrderStatus): boolean {
  return ORDER_STATUS_TABLE[status].next.length === 0;
}

/** Whether what was ordered, for whom, and its delivery may still change. */
export function isChangeable(status: OrderStatus): boolean {
  return status === 'NEW' || status === 'CONFIRMED';
}

/** Whether an order may be deleted. */
export function isDeletable(status: OrderStatus): boolean {
  return status === 'NEW' || status === 'CANCELLED';
}

/** Whether the pieces of an order are still taken from the stock. */
export function holdsStock(status: OrderStatus): boolean {
  return status !== 'CANCELLED';
}
