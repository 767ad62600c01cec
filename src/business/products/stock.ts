// Taking stock for orders and giving it back.
import type { Statements } from '../../db/types.ts';
import { readOrderedProducts, releaseStock, reserveStock, type OrderedProduct, type Units } from './stock-store.ts';

/** How many pieces of which product, by its id. */
export type Quantities = ReadonlyMap<string, number>;

/** Nothing of any product. */
export const NO_PIECES: Quantities = new Map();

export interface StockMove {
  readonly tenantId: string;
  /** What an order holds. */
  readonly held: Quantities;
  /** What it is to hold. */
  readonly wanted: Quantities;
  /** Unix milliseconds. */
  readonly now: number;
}

export interface MovedStock {
  /** The wanted products that there are, with what is left of them. */
  readonly products: ReadonlyMap<string, OrderedProduct>;
  /** Of these not as many more could be taken as are wanted. */
  readonly refused: ReadonlySet<string>;
}

/**
 * Takes the pieces that an order is to hold beyond those it holds, and gives back those it is not to hold any more; pieces
 * that it keeps are not touched. Roll back where any were refused. The products are locked in the order of their ids, so
 * that no two orders wait for each other; lock none before.
 */
export async function moveStock(tx: Statements, { tenantId, held, wanted, now }: StockMove): Promise<MovedStock> {
  const refused = new Map<string, OrderedProduct>();
  for (const productId of [...new Set([...held.keys(), ...wanted.keys()])].toSorted()) {
    const more = (wanted.get(productId) ?? 0) - (held.get(productId) ?? 0);
    const pieces = { tenantId, productId, quantity: Math.abs(more), now };
    if (more < 0) await releaseStock(tx, pieces);
    const short = more > 0 ? await take(tx, pieces) : undefined;
    if (short) refused.set(productId, short);
  }
  const ids = [...wanted.keys()].filter((productId) => !refused.has(productId));
  const products = new Map([...(await readOrderedProducts(tx, tenantId, ids)), ...refused]);
  return { products, refused: new Set(refused.keys()) };
}

/** Takes pieces of a product that is there; the product as it is where they cannot be had. */
async function take(tx: Statements, pieces: Units): Promise<OrderedProduct | undefined> {
  while (!(await reserveStock(tx, pieces))) {
    const { tenantId, productId, quantity } = pieces;
    const product = (await readOrderedProducts(tx, tenantId, [productId])).get(productId);
    // Otherwise pieces were given back between the two statements.
    if (!product || product.status !== 'ACTIVE' || product.stock < quantity) return product;
  }
  return undefined;
}
