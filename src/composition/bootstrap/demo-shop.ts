// The description of a demo shop: tables of its records.
import type { CustomerStatus } from '../../business/customers/customer.ts';
import type { OrderStatus } from '../../business/orders/order-status.ts';
import type { PaymentMethod } from '../../business/orders/order.ts';
import type { ProductStatus } from '../../business/products/product.ts';
import type { Statements } from '../../platform/db/types.ts';

/** A product. The price is in cents. The stock is before the first order. Default status: ACTIVE. */
type DemoProduct = readonly [
  ...texts: readonly [sku: string, name: string, category: string],
  ...numbers: readonly [price: number, stock: number, reorderLevel: number],
  status?: ProductStatus,
];

/** A customer and the days since it was created. Default status: ACTIVE. */
type DemoCustomer = readonly [
  ...texts: readonly [name: string, email: string, phone: string, address: string],
  daysAgo: number,
  status?: CustomerStatus,
];

/** An order: hours since it was placed, name of the customer, and so on. */
export type DemoOrder = readonly [
  hoursAgo: number,
  customer: string,
  status: OrderStatus,
  paymentMethod: PaymentMethod,
  /** Days until delivery; undefined if the customer collects the order. */
  deliveryDays: number | undefined,
  /** Units and SKUs: `2 ORCHID, 1 CARD`. */
  items: string,
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
  /** By SKU. */
  readonly descriptions?: Readonly<Record<string, string>>;
  readonly customers: readonly DemoCustomer[];
  readonly notes: readonly (readonly [customer: string, text: string])[];
  readonly orders: readonly DemoOrder[];
}

/** A shop in the transaction that creates its records. */
export interface Opening {
  readonly tx: Statements;
  readonly shop: DemoShop;
  /** Account ids. */
  readonly staff: DemoShop['staff'];
  /** Unix milliseconds. */
  readonly now: number;
}
