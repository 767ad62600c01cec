// The stock of products, as orders take and return it. product-store.ts writes the other columns.
import { byPrimaryKey } from '../../platform/db/query/hints.ts';
import { bytesToId, idToBytes } from '../../platform/db/ids.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Statements } from '../../platform/db/types.ts';
import type { Product } from './product.ts';

/** The data of a product that an order needs. */
export type OrderedProduct = Pick<Product, 'name' | 'price' | 'currency' | 'status' | 'stock'>;

/** A number of units of a product at a time. */
export interface Units {
  readonly tenantId: string;
  readonly productId: string;
  /** At least 1. */
  readonly quantity: number;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * Takes units of an ACTIVE product. Returns false if there are not enough units, or the product is missing or not
 * ACTIVE.
 */
export async function reserveStock(tx: Statements, { tenantId, productId, quantity, now }: Units): Promise<boolean> {
  const taken = await tenantScope(tx, tenantId).execute(
    `UPDATE ${byPrimaryKey('products')} SET stock = stock - ?, version = version + 1, updated_at = ?
      WHERE tenant_id = :tenant AND id = ? AND status = 'ACTIVE' AND stock >= ?`,
    [quantity, now, idToBytes(productId), quantity],
  );
  return taken > 0;
}

/** Returns units to the stock. Does nothing if the product was deleted meanwhile. */
export async function releaseStock(tx: Statements, { tenantId, productId, quantity, now }: Units): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    `UPDATE ${byPrimaryKey('products')} SET stock = stock + ?, version = version + 1, updated_at = ?
      WHERE tenant_id = :tenant AND id = ?`,
    [quantity, now, idToBytes(productId)],
  );
}

/** Returns the existing ones of these products, by id. */
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
