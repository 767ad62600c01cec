// The items of an order and their units of the stock.
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { moveStock, NO_UNITS, type MovedStock } from '../products/stock.ts';
import { totalOf, type Order } from './order.ts';
import { quantitiesOf, type RequestedItem } from './requested-items.ts';
import { productViolations } from './references.ts';

type Holder = Pick<Order, 'tenantId' | 'items'>;

/** Returns all units of an order to the stock. */
export async function returnStock(tx: Statements, { tenantId, items }: Holder, now: number): Promise<void> {
  await moveStock(tx, { tenantId, current: quantitiesOf(items), requested: NO_UNITS, now });
}

/**
 * Takes the additional units of these lines from the stock, returns the others, and creates the new items. All items
 * get the current names and prices of the products, also those that the order keeps. Throws VALIDATION_ERROR, CONFLICT
 * for more units of a product that is not ACTIVE, INSUFFICIENT_STOCK.
 */
export async function takeItems(
  tx: Statements,
  { tenantId, items }: Holder,
  lines: readonly RequestedItem[],
  now: number,
): Promise<Pick<Order, 'items' | 'total' | 'currency'>> {
  const current = quantitiesOf(items);
  const moved = await moveStock(tx, { tenantId, current, requested: quantitiesOf(lines), now });
  assertProductsExist(lines, moved);
  assertProductsActive(lines, moved);
  assertStock(lines, moved, current);
  const taken = lines.map(({ productId, quantity }) => {
    const { name, price } = moved.products.get(productId)!;
    return { productId, name, quantity, unitPrice: price };
  });
  const { currency } = moved.products.get(lines[0]!.productId)!;
  return { items: taken, total: totalOf(taken), currency };
}

/** Checks the products again: they may have been deleted or changed since the request was validated. */
function assertProductsExist(lines: readonly RequestedItem[], { products }: MovedStock): void {
  const violations = productViolations(lines, products);
  if (violations.length > 0) {
    throw new ServiceError('VALIDATION_ERROR', {
      publicMessage: 'These products cannot be ordered together',
      violations,
    });
  }
}

function assertProductsActive(lines: readonly RequestedItem[], { products, refused }: MovedStock): void {
  const violations = lines
    .filter(({ productId }) => refused.has(productId) && products.get(productId)!.status !== 'ACTIVE')
    .map(({ productId, index }) => {
      const { status } = products.get(productId)!;
      const props = ['items', `${index}`];
      return { message: 'cannot be ordered', format: 'status', props, params: { productId, status } };
    });
  if (violations.length > 0) {
    throw new ServiceError('CONFLICT', { detail: 'a product that is ordered is not ACTIVE', violations });
  }
}

function assertStock(
  lines: readonly RequestedItem[],
  { products, refused }: MovedStock,
  current: ReadonlyMap<string, number>,
): void {
  const violations = lines
    .filter(({ productId }) => refused.has(productId))
    .map(({ productId, quantity: requested, index }) => {
      const available = products.get(productId)!.stock + (current.get(productId) ?? 0);
      const params = { productId, requested, available };
      return { message: `only ${available} can be had`, format: 'stock', props: ['items', `${index}`], params };
    });
  if (violations.length > 0) throw new ServiceError('INSUFFICIENT_STOCK', { violations });
}
