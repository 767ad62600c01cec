import { changeCounts } from '../src/business/counter-store.ts';
import { PRODUCTS as PRODUCT_ROWS } from '../src/business/products/product-store.ts';
import { UNLIMITED } from '../src/platform/clock.ts';
import { newId } from '../src/platform/db/ids.ts';
import type { Database } from '../src/platform/db/types.ts';
import { TENANT_ID } from './seed.ts';

const PRODUCTS = 300;

/** Inserts products into the tenant of the sessions. */
export async function seedProducts(database: Database): Promise<void> {
  await database.transaction(UNLIMITED, async (tx) => {
    const now = Date.now();
    for (let index = 0; index < PRODUCTS; index += 1) {
      await PRODUCT_ROWS.insert(tx, {
        id: newId(),
        tenantId: TENANT_ID,
        sku: `SKU-${String(index).padStart(5, '0')}`,
        name: `Bouquet ${index}`,
        description: 'Roses, peonies and eucalyptus, tied by hand.',
        category: 'bouquets',
        price: 1999 + index,
        currency: 'EUR',
        stock: index,
        reorderLevel: 5,
        status: 'ACTIVE',
        createdAt: now + index,
        updatedAt: now + index,
        version: 1,
      });
    }
    await changeCounts(tx, TENANT_ID, 'products', [{ status: 'ACTIVE', by: PRODUCTS }]);
  });
}
