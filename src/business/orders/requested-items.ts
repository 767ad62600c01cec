// The lines of a request: the requested products and quantities.
import type {
  OrderFields as FieldsMessage,
  OrderLine as LineMessage,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { fieldRule } from '../../platform/rpc/field-rule.ts';
import type { RequestViolations } from '../../platform/rpc/request-violations.ts';
import type { Quantities } from '../products/stock.ts';
import { type OrderDetails, type OrderItem, orderDetails } from './order.ts';

/** The requested quantity of one product. */
export interface RequestedItem {
  readonly productId: string;
  /** Units. */
  readonly quantity: number;
  /** Index of the first line with this product, from 0. */
  readonly index: number;
}

const { items: MAX_LINES } = fieldRule('authservice.business.v1.OrderFields.items');
const { min: MIN_QUANTITY, max: MAX_QUANTITY } = fieldRule('authservice.business.v1.OrderLine.quantity');

/**
 * Reads validated lines. Lines of the same product are combined at the place of the first. Adds a violation if the sum
 * exceeds the limit.
 */
export function checkLines(violations: RequestViolations, lines: readonly LineMessage[]): readonly RequestedItem[] {
  // The rules already report too many lines.
  if (lines.length > MAX_LINES) return [];
  const products = new Map<string, RequestedItem>();
  for (const [index, { productId, quantity }] of lines.entries()) {
    const before = products.get(productId) ?? { productId, quantity: 0, index };
    products.set(productId, { ...before, quantity: before.quantity + quantity });
    const isEachGood = before.quantity <= MAX_QUANTITY && quantity <= MAX_QUANTITY;
    if (isEachGood && before.quantity + quantity > MAX_QUANTITY) {
      violations.add(wrongSum(index));
    }
  }
  return [...products.values()];
}

/** Returns the requested units of each product. */
export function quantitiesOf(lines: readonly Pick<RequestedItem, 'productId' | 'quantity'>[]): Quantities {
  return new Map(lines.map(({ productId, quantity }) => [productId, quantity]));
}

/** Whether the lines of a request equal the items of an order. */
export function hasSameItems(lines: readonly RequestedItem[], items: readonly OrderItem[]): boolean {
  const isSame = ({ productId, quantity }: RequestedItem, index: number) =>
    productId === items[index]?.productId && quantity === items[index].quantity;
  return lines.length === items.length && lines.every(isSame);
}

function wrongSum(index: number) {
  return {
    message: `with the other lines of the same product, must be between ${MIN_QUANTITY} and ${MAX_QUANTITY}`,
    format: 'range',
    props: ['items', `${index}`, 'quantity'],
    params: { minimum: MIN_QUANTITY, maximum: MAX_QUANTITY },
  };
}

/** The fields that a caller can set. */
export interface OrderFields extends OrderDetails {
  readonly lines: readonly RequestedItem[];
}

/**
 * Returns the fields of a validated request; required masked fields are present. Adds violations for lines of the same
 * product.
 */
export function orderFields(
  violations: RequestViolations,
  { items, ...details }: Partial<FieldsMessage>,
): Partial<OrderFields> {
  return { ...orderDetails(details), ...(items && { lines: checkLines(violations, items) }) };
}
