// What a shop of the demo is described by, and what is known while it is filled.
import type { CustomerStatus } from '../business/customers/customer.ts';
import type { OrderStatus } from '../business/orders/order-status.ts';
import type { PaymentMethod } from '../business/orders/payment-method.ts';
import type { ProductStatus } from '../business/products/product.ts';
import type { Statements } from '../db/types.ts';

export interface DemoProduct {
  readonly sku: string;
  readonly name: string;
  readonly category: string;
  /** In cents. */
  readonly price: number;
  /** Pieces before the first of the orders. */
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
  /** Since when. */
  readonly daysAgo: number;
  readonly status?: CustomerStatus;
  readonly notes?: readonly string[];
}

/** When it was placed, by which customer (a part of the name), how far it is, and so on. */
export type DemoOrder = readonly [
  hoursAgo: number,
  customer: string,
  status: OrderStatus,
  paymentMethod: PaymentMethod,
  /** After so many days it is delivered; undefined where the customer collects it. */
  deliveryDays: number | undefined,
  /** Pieces by SKU. */
  items: Readonly<Record<string, number>>,
  note?: string,
];

/** A tenant of the demo's accounts, with its records. */
export interface DemoShop {
  readonly tenantId: string;
  /** Usernames of those who take orders and cancel them, who make and deliver them, and who do the rest. */
  readonly staff: { readonly sales: string; readonly workshop: string; readonly office: string };
  readonly products: readonly DemoProduct[];
  readonly customers: readonly DemoCustomer[];
  readonly orders: readonly DemoOrder[];
}

/** Account ids. */
export type Staff = Readonly<Record<keyof DemoShop['staff'], string>>;

/** A shop being filled, within its transaction. */
export interface Opening {
  readonly tx: Statements;
  readonly shop: DemoShop;
  readonly staff: Staff;
  /** Unix milliseconds. */
  readonly now: number;
}
