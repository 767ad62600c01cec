// The stock of products, as orders take and return it. What else there is of a product, product-store.ts writes.
import { byPrimaryKey } from '../../db/query/by-primary-key.ts';
import { bytesToId, idToBytes } from '../../db/ids.ts';
import { tenantScope } from '../../db/query/tenant-scope.ts';
import type { Statements } from '../../db/types.ts';
import type { Product } from './product.ts';

/** What an order needs to know of a product. */
export type OrderedProduct = Pick<Product, 'name' | 'price' | 'currency' | 'status' | 'stock'>;

/** Pieces of a product at a moment. */
export interface Units {
  readonly tenantId: string;
  readonly productId: string;
  /** At least 1. */
  readonly quantity: number;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Takes pieces of an ACTIVE product. False where there are not as many, or the product is none that may be taken. */
export async function reserveStock(tx: Statements, { tenantId, productId, quantity, now }: Units): Promise<boolean> {
  const taken = await tenantScope(tx, tenantId).execute(
    `UPDATE ${byPrimaryKey('products')} SET stock = stock - ?, version = version + 1, updated_at = ?
      WHERE tenant_id = :tenant AND id = ? AND status = 'ACTIVE' AND stock >= ?`,
    [quantity, now, idToBytes(productId), quantity],
  );
  return taken > 0;
}

/** Gives pieces back; to a product that was deleted meanwhile, none. */
export async function releaseStock(tx: Statements, { tenantId, productId, quantity, now }: Units): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    `UPDATE ${byPrimaryKey('products')} SET stock = stock + ?, version = version + 1, updated_at = ?
      WHERE tenant_id = :tenant AND id = ?`,
    [quantity, now, idToBytes(productId)],
  );
}

/** The products that there are of these, by id. */
export async function readOrderedProducts(
  db: Statements,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OrderedProduct>> {
  if (ids.length === 0) return new Map();
  const rows = await tenantScope(db, tenantId).query<OrderedProduct & { readonly id: Uint8Array }>(
    `SELECT id, name, price, currency, status, stock FROM products
      WHERE tenant_id = :tenant AND id IN (${ids.map(() => '?').join(', ')})`,
    ids.map(idToBytes),
  );
  return new Map(rows.map(({ id, ...product }) => [bytesToId(id), product]));
}
