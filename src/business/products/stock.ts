// Reserves and releases stock for orders.
import type { Statements } from '../../platform/db/types.ts';
import { readOrderedProducts, releaseStock, reserveStock, type OrderedProduct, type Units } from './stock-store.ts';

/** Units by product id. */
export type Quantities = ReadonlyMap<string, number>;

/** No units of any product. */
export const NO_UNITS: Quantities = new Map();

interface StockMove {
  readonly tenantId: string;
  /** The units that the order has now. */
  readonly current: Quantities;
  /** The units that the order will have. */
  readonly requested: Quantities;
  /** Unix milliseconds. */
  readonly now: number;
}

export interface MovedStock {
  /** The existing ones of the wanted products, with their remaining stock. */
  readonly products: ReadonlyMap<string, OrderedProduct>;
  /** The products without enough units. */
  readonly refused: ReadonlySet<string>;
}

/**
 * Takes the additional units that an order needs and returns those that it no longer needs. Unchanged units are not
 * touched. Roll back if any product was refused. The products are locked in the order of their ids, so that orders
 * never deadlock; lock no products before.
 */
export async function moveStock(tx: Statements, { tenantId, current, requested, now }: StockMove): Promise<MovedStock> {
  const refused = new Map<string, OrderedProduct>();
  for (const productId of [...new Set([...current.keys(), ...requested.keys()])].toSorted()) {
    const more = (requested.get(productId) ?? 0) - (current.get(productId) ?? 0);
    const units = { tenantId, productId, quantity: Math.abs(more), now };
    if (more < 0) await releaseStock(tx, units);
    const short = more > 0 ? await take(tx, units) : undefined;
    if (short) refused.set(productId, short);
  }
  const ids = [...requested.keys()].filter((productId) => !refused.has(productId));
  const products = new Map([...(await readOrderedProducts(tx, tenantId, ids)), ...refused]);
  return { products, refused: new Set(refused.keys()) };
}

/** Takes units of an existing product. Returns the product if there are not enough units. */
async function take(tx: Statements, units: Units): Promise<OrderedProduct | undefined> {
  while (!(await reserveStock(tx, units))) {
    const { tenantId, productId, quantity } = units;
    const product = (await readOrderedProducts(tx, tenantId, [productId])).get(productId);
    // Else units were returned between the two statements, so try again.
    if (!product || product.status !== 'ACTIVE' || product.stock < quantity) return product;
  }
  return undefined;
}
