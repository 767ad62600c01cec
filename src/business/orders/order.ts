import {
  type Order as OrderMessage,
  type OrderFields as FieldsMessage,
  type OrderItem as ItemMessage,
  type OrderStatusChange as ChangeMessage,
  PaymentMethod as MethodMessage,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { enumName, id, integer, money, optional, tenant, text, time } from '../../platform/db/columns.ts';
import { searchText } from '../../platform/db/query/search-text.ts';
import { type MessageOf, type ValuesOf, defineRecord } from '../../platform/db/record.ts';
import { images } from '../files/image-store.ts';
import { VERSIONED } from '../record-store.ts';
import { ORDER_STATUS } from './order-status.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';

export const PAYMENT_METHOD = enumNames(MethodMessage, 'PAYMENT_METHOD_');
/** The payment methods of orders. */
export const PAYMENT_METHODS = PAYMENT_METHOD.names;

export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** Labels for display. */
export const PAYMENT_METHOD_LABELS: Readonly<Record<PaymentMethod, string>> = {
  CASH: 'Cash',
  CARD: 'Card',
  BANK_TRANSFER: 'Bank transfer',
  INVOICE: 'Invoice',
  ONLINE: 'Online payment',
};

/** The fields of an order that a caller sets, except its items. */
const DETAILS = {
  customerId: id('customer_id'),
  paymentMethod: optional(enumName('payment_method', PAYMENT_METHOD)),
  /** YYYY-MM-DD. */
  deliveryDate: optional(text('delivery_date')),
  deliveryAddress: optional(text('delivery_address')),
  note: optional(text('note')),
};

const FIXED = {
  ...VERSIONED,
  /** Increases with every order of the tenant. */
  number: integer('number'),
};

const FIELDS = {
  ...DETAILS,
  total: money('total'),
  /** ISO 4217. */
  currency: text('currency'),
  status: enumName('status', ORDER_STATUS),
};

const SELECTED = {
  /** Photos added with the status READY, in the order of their places. */
  productionPhotos: images('order-production'),
  /** Photos added with the status DELIVERED. */
  deliveryPhotos: images('order-delivery'),
};

export const ORDER = defineRecord('orders', {
  fixed: FIXED,
  fields: FIELDS,
  selected: SELECTED,
  computed: {
    search_text: ({ number, deliveryAddress, note }) => searchText(`${number}`, deliveryAddress, note),
  },
});

const ITEM_FIELDS = {
  /** The product may have been deleted since. */
  productId: id('product_id'),
  name: text('name'),
  /** Units, 1-9,999. */
  quantity: integer('quantity'),
  unitPrice: money('unit_price'),
};

export const ORDER_ITEM = defineRecord('order_items', { fixed: {}, fields: ITEM_FIELDS });

export type OrderDetails = ValuesOf<typeof DETAILS>;

/** An item of an order: a quantity of a product, with the product's name and price at the time of ordering. */
export type OrderItem = ValuesOf<typeof ITEM_FIELDS>;

export type Order = ValuesOf<typeof FIXED & typeof FIELDS & typeof SELECTED> & {
  /** In the order given, each product once. */
  readonly items: readonly OrderItem[];
};

/** Converts an order to its proto message. */
export function orderMessage(order: Order): OrderMessage {
  const items = order.items.map(itemMessage);
  return { ...ORDER.toMessage(order), items } satisfies MessageOf<Order, OrderMessage>;
}

function itemMessage(item: OrderItem): ItemMessage {
  return { ...ORDER_ITEM.toMessage(item), lineTotal: lineTotal(item) } satisfies MessageOf<OrderItem, ItemMessage>;
}

/** Returns the details that a validated request has. */
export const orderDetails = (details: Partial<Omit<FieldsMessage, 'items'>>): Partial<OrderDetails> =>
  ORDER.fromMessage(details);

/** A status transition of an order. */
const CHANGE_FIELDS = {
  tenantId: tenant('tenant_id'),
  /** Undefined for the creation. */
  from: optional(enumName('from_status', ORDER_STATUS)),
  to: enumName('to_status', ORDER_STATUS),
  at: time('at'),
  /** Account id of the account that made the change. */
  by: id('by_id'),
  note: optional(text('note')),
};

export const STATUS_CHANGE = defineRecord('order_status_changes', { fixed: CHANGE_FIELDS, fields: {} });
export type StatusChange = ValuesOf<typeof CHANGE_FIELDS>;

/** Converts a status transition to its proto message. */
export const changeMessage: (change: StatusChange) => MessageOf<StatusChange, ChangeMessage> = STATUS_CHANGE.toMessage;

/** Returns the price of an item, in hundredths. */
export function lineTotal({ quantity, unitPrice }: Pick<OrderItem, 'quantity' | 'unitPrice'>): number {
  return quantity * unitPrice;
}

/** Returns the total of items in hundredths: at most 200 * 9,999 * 999,999,999, which a double represents exactly. */
export function totalOf(items: readonly OrderItem[]): number {
  return items.reduce((sum, item) => sum + lineTotal(item), 0);
}
