import type { Image } from '../files/file.ts';
import type { OrderStatus } from './order-status.ts';
import type { PaymentMethod } from './payment-method.ts';

/** An item of an order: a quantity of a product, with the product's name and price at the time of ordering. */
export interface OrderItem {
  /** The product may have been deleted since. */
  readonly productId: string;
  readonly name: string;
  /** Units, 1-9,999. */
  readonly quantity: number;
  /** Hundredths of the currency. */
  readonly unitPrice: number;
}

/** The fields of an order that a caller sets, except its items. */
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
  /** Increases with every order of the tenant. */
  readonly number: number;
  /** In the order given, each product once. */
  readonly items: readonly OrderItem[];
  /** Hundredths of the currency. */
  readonly total: number;
  /** ISO 4217. */
  readonly currency: string;
  readonly status: OrderStatus;
  /** Photos added with the status READY, in the order of their places. */
  readonly productionPhotos: readonly Image[];
  /** Photos added with the status DELIVERED. */
  readonly deliveryPhotos: readonly Image[];
  /** Unix milliseconds, like updatedAt. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Increases with every change, from 1. */
  readonly version: number;
}

/** Returns the price of an item, in hundredths. */
export function lineTotal({ quantity, unitPrice }: Pick<OrderItem, 'quantity' | 'unitPrice'>): number {
  return quantity * unitPrice;
}

/** Returns the total of items in hundredths: at most 200 * 9,999 * 999,999,999, which a double represents exactly. */
export function totalOf(items: readonly OrderItem[]): number {
  return items.reduce((sum, item) => sum + lineTotal(item), 0);
}
