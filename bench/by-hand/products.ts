// A page of a tenant's products, newest first.
import { idOf } from './credentials.ts';
import type { Row, Store } from './store.ts';

const COUNT = 'SELECT SUM(value) AS total FROM tenant_counters WHERE tenant_id = ? AND name >= ? AND name < ?';
const PAGE = `SELECT id, sku, name, description, category, price, currency, stock, reorder_level, status, created_at, updated_at
   FROM products WHERE tenant_id = ? ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`;
const images = (count: number) => `SELECT owner_id, content_type, size FROM files
   WHERE tenant_id = ? AND owner_kind = 'product' AND owner_id IN (${Array<string>(count).fill('?').join(', ')})
   ORDER BY owner_id, position`;

export interface Page {
  readonly total: number;
  readonly products: readonly object[];
}

/** Reads one page. */
export async function readPage(store: Store, tenant: Uint8Array, page: number, perPage: number): Promise<Page> {
  const [[counted], rows] = await Promise.all([
    store.all(COUNT, [tenant, Buffer.from('products:'), Buffer.from('products;')]),
    store.all(PAGE, [tenant, perPage, (page - 1) * perPage]),
  ]);
  const owned = await store.all(images(rows.length), [tenant, ...rows.map((row) => row['id']!)]);
  const imagesOf = Map.groupBy(owned, (row) => idOf(row['owner_id'] as Uint8Array));
  const tenantId = Buffer.from(tenant).toString();
  return { total: Number(counted!['total']), products: rows.map((row) => productOf(row, tenantId, imagesOf)) };
}

function productOf(row: Row, tenantId: string, imagesOf: ReadonlyMap<string, readonly Row[]>): object {
  const id = idOf(row['id'] as Uint8Array);
  return {
    id,
    tenantId,
    sku: Buffer.from(row['sku'] as Uint8Array).toString(),
    name: row['name'],
    description: row['description'] ?? undefined,
    category: row['category'] ?? undefined,
    price: (row['price'] as number) / 100,
    currency: row['currency'],
    stock: row['stock'],
    reorderLevel: row['reorder_level'],
    status: row['status'],
    images: (imagesOf.get(id) ?? []).map((image, index) => ({
      index,
      url: `/api/v1/products/${id}/images/${index}`,
      contentType: image['content_type'],
      size: image['size'],
    })),
    createdAt: new Date(row['created_at'] as number).toISOString(),
    updatedAt: new Date(row['updated_at'] as number).toISOString(),
  };
}
