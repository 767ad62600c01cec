// The products table. record-store.ts increases the versions, and stock-store.ts changes the stock for orders.
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { searchText } from '../../platform/db/query/search-text.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { SqlValue, Statements } from '../../platform/db/types.ts';
import { imagesColumn, parseImages } from '../files/image-store.ts';
import { setColumns } from '../record-store.ts';
import type { Product, ProductFields, ProductStatus } from './product.ts';

export interface ProductRow {
  id: string;
  sku: string;
  name: string;
  description: string | null;
  category: string | null;
  price: number;
  currency: string;
  stock: number;
  reorder_level: number;
  status: ProductStatus;
  images: string | null;
  created_at: number;
  updated_at: number;
  version: number;
}

/** The columns of ProductRow. `p` is the table; the SKU is stored as bytes. */
export const PRODUCT_COLUMNS = [
  `${hexOf('p.id')} AS id`,
  'CAST(p.sku AS CHAR) AS sku',
  'name, description, category, price, currency, stock, reorder_level, status, created_at, updated_at, version',
  `${imagesColumn('product', 'p.id')} AS images`,
];

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
    `SELECT ${PRODUCT_COLUMNS.join(', ')} FROM products p WHERE p.tenant_id = :tenant AND p.id = ?`,
    [idToBytes(id)],
  );
  return row && productOf(row, tenantId);
}

export function productOf(row: ProductRow, tenantId: string): Product {
  return {
    id: hexToId(row.id),
    tenantId,
    sku: row.sku,
    name: row.name,
    description: row.description ?? undefined,
    category: row.category ?? undefined,
    price: row.price,
    currency: row.currency,
    stock: row.stock,
    reorderLevel: row.reorder_level,
    status: row.status,
    images: parseImages(row.images),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  };
}

function columnsOf(fields: ProductFields): Record<string, SqlValue> {
  const { sku, name, description, category } = fields;
  return {
    sku: Buffer.from(sku),
    name,
    description: description ?? null,
    category: category ?? null,
    price: fields.price,
    currency: fields.currency,
    stock: fields.stock,
    reorder_level: fields.reorderLevel,
    status: fields.status,
    search_text: searchText(sku, name, category),
  };
}
