// The lines of a request: which products are ordered.
import type { OrderLine as LineMessage } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { RequestCheck } from '../../request-check.ts';
import type { Quantities } from '../products/stock.ts';
import type { OrderItem } from './order.ts';

/** What is ordered of one product. */
export interface RequestedItem {
  readonly productId: string;
  /** Pieces, 1-9,999. */
  readonly quantity: number;
  /** Which line of the request named the product first, from 0. */
  readonly index: number;
}

const MAX_LINES = 200;
const MAX_QUANTITY = 9_999;

/** Reads checked lines; those of the same product become one, at the place of the first. Notes sums beyond the bound. */
export function checkLines(check: RequestCheck, lines: readonly LineMessage[]): readonly RequestedItem[] {
  // More than the rules allow are not looked at.
  if (lines.length > MAX_LINES) return [];
  const products = new Map<string, RequestedItem>();
  for (const [index, { productId, quantity }] of lines.entries()) {
    const before = products.get(productId) ?? { productId, quantity: 0, index };
    products.set(productId, { ...before, quantity: before.quantity + quantity });
    const isEachGood = before.quantity <= MAX_QUANTITY && quantity <= MAX_QUANTITY;
    if (isEachGood && before.quantity + quantity > MAX_QUANTITY) {
      check.violate(wrongSum(index));
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
    message: `with the other lines of the same product, must be between 1 and ${MAX_QUANTITY}`,
    format: 'range',
    props: ['items', `${index}`, 'quantity'],
    params: { minimum: 1, maximum: MAX_QUANTITY },
  };
}
