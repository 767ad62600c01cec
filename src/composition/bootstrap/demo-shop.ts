// The description of a demo shop, and its state while it is created.
import type { CustomerStatus } from '../../business/customers/customer.ts';
import type { OrderStatus } from '../../business/orders/order-status.ts';
import type { PaymentMethod } from '../../business/orders/order.ts';
import type { ProductStatus } from '../../business/products/product.ts';
import type { Statements } from '../../platform/db/types.ts';

export interface DemoProduct {
  readonly sku: string;
  readonly name: string;
  readonly category: string;
  /** In cents. */
  readonly price: number;
  /** Units in stock before the first order. */
  readonly stock: number;
  readonly reorderLevel: number;
  readonly status?: ProductStatus;
  readonly description?: string;
}

export interface DemoCustomer {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly address: string;
  /** Days since the customer was created. */
  readonly daysAgo: number;
  readonly status?: CustomerStatus;
  readonly notes?: readonly string[];
}

/** An order: days since it was placed, customer (a part of the name), status, and so on. */
export type DemoOrder = readonly [
  hoursAgo: number,
  customer: string,
  status: OrderStatus,
  paymentMethod: PaymentMethod,
  /** Days until delivery; undefined if the customer collects the order. */
  deliveryDays: number | undefined,
  /** Units by SKU. */
  items: Readonly<Record<string, number>>,
  note?: string,
];

/** A tenant of the demo and its records. */
export interface DemoShop {
  readonly tenantId: string;
  /**
   * Usernames of the staff: `sales` takes and cancels orders, `workshop` makes and delivers them, `office` does the
   * rest.
   */
  readonly staff: { readonly sales: string; readonly workshop: string; readonly office: string };
  readonly products: readonly DemoProduct[];
  readonly customers: readonly DemoCustomer[];
  readonly orders: readonly DemoOrder[];
}

/** Account ids. */
export type Staff = Readonly<Record<keyof DemoShop['staff'], string>>;

/** A shop in the transaction that creates its records. */
export interface Opening {
  readonly tx: Statements;
  readonly shop: DemoShop;
  readonly staff: Staff;
  /** Unix milliseconds. */
  readonly now: number;
}
