import type { Image } from '../files/file.ts';
import type { OrderStatus } from './order-status.ts';
import type { PaymentMethod } from './payment-method.ts';

/** An item of an order: so many pieces of a product, which was called so and cost so much at the moment of ordering. */
export interface OrderItem {
  /** The product may have been deleted since. */
  readonly productId: string;
  readonly name: string;
  /** Pieces, 1-9,999. */
  readonly quantity: number;
  /** Minor units. */
  readonly unitPrice: number;
}

/** What a caller says of an order beside its items. */
export interface OrderDetails {
  readonly customerId: string;
  readonly paymentMethod: PaymentMethod | undefined;
  /** YYYY-MM-DD. */
  readonly deliveryDate: string | undefined;
  readonly deliveryAddress: string | undefined;
  readonly note: string | undefined;
}

export interface Order extends OrderDetails {
  readonly id: string;
  readonly tenantId: string;
  /** Rises with every order of the tenant. */
  readonly number: number;
  /** In the order given, each product once. */
  readonly items: readonly OrderItem[];
  /** Minor units. */
  readonly total: number;
  /** ISO 4217. */
  readonly currency: string;
  readonly status: OrderStatus;
  /** Taken when it became READY, in the order of their places. */
  readonly productionPhotos: readonly Image[];
  /** Taken when it was DELIVERED. */
  readonly deliveryPhotos: readonly Image[];
  /** Unix milliseconds, like updatedAt. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Rises with every change, from 1. */
  readonly version: number;
}

/** What an item costs, in minor units. */
export function lineTotal({ quantity, unitPrice }: Pick<OrderItem, 'quantity' | 'unitPrice'>): number {
  return quantity * unitPrice;
}

/** What items cost together, in minor units: at most 200 * 9,999 * 999,999,999, which is exact in a double. */
export function totalOf(items: readonly OrderItem[]): number {
  return items.reduce((sum, item) => sum + lineTotal(item), 0);
}
