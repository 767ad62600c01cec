// The lines of a request: which products are ordered.
import type { OrderLine as LineMessage } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { fieldRule } from '../../rpc/field-rule.ts';
import type { RequestViolations } from '../../rpc/request-violations.ts';
import type { Quantities } from '../products/stock.ts';
import type { OrderItem } from './order.ts';

/** What is ordered of one product. */
export interface RequestedItem {
  readonly productId: string;
  /** Pieces. */
  readonly quantity: number;
  /** Which line of the request named the product first, from 0. */
  readonly index: number;
}

const { items: MAX_LINES } = fieldRule('authservice.business.v1.OrderFields.items');
const { min: MIN_QUANTITY, max: MAX_QUANTITY } = fieldRule('authservice.business.v1.OrderLine.quantity');

/** Reads checked lines; those of the same product become one, at the place of the first. Notes sums beyond the bound. */
export function checkLines(violations: RequestViolations, lines: readonly LineMessage[]): readonly RequestedItem[] {
  // More than the rules allow are not looked at.
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

/** How many pieces of each product are meant. */
export function quantitiesOf(lines: readonly Pick<RequestedItem, 'productId' | 'quantity'>[]): Quantities {
  return new Map(lines.map(({ productId, quantity }) => [productId, quantity]));
}

/** Whether the items of an order are what these lines ask for. */
export function isAskedFor(lines: readonly RequestedItem[], items: readonly OrderItem[]): boolean {
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
