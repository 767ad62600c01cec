// The products table. record-store.ts increases the versions, and stock-store.ts changes the stock for orders.
import { bytesToId, idToBytes } from '../../db/ids.ts';
import { searchText } from '../../db/query/search-text.ts';
import { tenantScope } from '../../db/query/tenant-scope.ts';
import type { Row, SqlValue, Statements } from '../../db/types.ts';
import { fieldColumns } from '../field-columns.ts';
import { readImages } from '../files/attachments.ts';
import type { Image } from '../files/file.ts';
import { setColumns } from '../record-store.ts';
import type { Product, ProductFields } from './product.ts';

export interface ProductRow extends Row {
  id: Uint8Array;
  sku: Uint8Array;
  created_at: number;
  updated_at: number;
  version: number;
}

/** The SKU is stored as bytes. */
const FIELDS = fieldColumns<Omit<ProductFields, 'sku'>>({
  name: 'name',
  description: 'description',
  category: 'category',
  price: 'price',
  currency: 'currency',
  stock: 'stock',
  reorderLevel: 'reorder_level',
  status: 'status',
});

export const PRODUCT_COLUMNS = ['id', 'sku', ...FIELDS.names, 'created_at', 'updated_at', 'version'];

/** Rejects with DatabaseError of kind `duplicate` if the SKU is taken. */
export async function insertProduct(tx: Statements, product: Omit<Product, 'images'>): Promise<void> {
  const columns = columnsOf(product);
  const names = Object.keys(columns);
  await tenantScope(tx, product.tenantId).execute(
    `INSERT INTO products (tenant_id, id, created_at, updated_at, version, ${names.join(', ')})
     VALUES (:tenant, ?, ?, ?, ?, ${names.map(() => '?').join(', ')})`,
    [idToBytes(product.id), product.createdAt, product.updatedAt, product.version, ...Object.values(columns)],
  );
}

/** Sets the fields of a product that this transaction has locked. Rejects like insertProduct. */
export async function updateProduct(tx: Statements, product: Omit<Product, 'images'>): Promise<void> {
  await setColumns(tx, 'products', product.tenantId, product.id, columnsOf(product));
}

export async function findProduct(db: Statements, tenantId: string, id: string): Promise<Product | undefined> {
  const [row] = await tenantScope(db, tenantId).query<ProductRow>(
    `SELECT ${PRODUCT_COLUMNS.join(', ')} FROM products WHERE tenant_id = :tenant AND id = ?`,
    [idToBytes(id)],
  );
  return row && (await productsOf(db, tenantId, [row]))[0];
}

/** Converts rows to products with their images. */
export async function productsOf(
  db: Statements,
  tenantId: string,
  rows: readonly ProductRow[],
): Promise<readonly Product[]> {
  const ids = rows.map((row) => bytesToId(row.id));
  const imagesOf = await readImages(db, tenantId, ['product'], ids);
  return rows.map((row, index) => productOf(row, tenantId, imagesOf({ kind: 'product', id: ids[index]! })));
}

function productOf(row: ProductRow, tenantId: string, images: readonly Image[]): Product {
  return {
    ...FIELDS.read(row),
    id: bytesToId(row.id),
    tenantId,
    images,
    sku: Buffer.from(row.sku).toString(),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  };
}

function columnsOf(fields: ProductFields): Record<string, SqlValue> {
  const { sku, name, category } = fields;
  return { ...FIELDS.write(fields), sku: Buffer.from(sku), search_text: searchText(sku, name, category) };
}
