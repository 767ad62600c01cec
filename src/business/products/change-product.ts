import type { Precondition } from '../../../proto/gen/authservice/business/v1/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { changeCounts } from '../counter-store.ts';
import { replaceImages } from '../files/attachments.ts';
import { lockForChange } from '../change-record.ts';
import type { Product, ProductChanges } from './product.ts';
import { PRODUCTS } from './product-store.ts';
import { refuseTakenSku } from './taken-sku.ts';

/**
 * Changes some fields of a product and returns the updated product. Throws NOT_FOUND, PRECONDITION_FAILED, CONFLICT,
 * and VALIDATION_ERROR if a file is no longer a staged image.
 */
export type ChangeProduct = (
  call: Call,
  product: Pick<Product, 'tenantId' | 'id'>,
  changes: ProductChanges,
  precondition: Precondition | undefined,
) => Promise<Product>;

export function createChangeProduct(options: { readonly database: Database; readonly clock: Clock }): ChangeProduct {
  const { database, clock } = options;
  return (call, { tenantId, id }, { images: files, ...changes }, precondition) =>
    database.transaction(call.deadline, async (tx) => {
      const now = clock();
      const target = { store: PRODUCTS, tenantId, id, precondition };
      const before = await lockForChange(tx, target, now);
      const product = { ...before, ...changes };
      await refuseTakenSku(PRODUCTS.update(tx, product));
      const owner = { kind: 'product', id, tenantId } as const;
      const images = files ? await replaceImages(tx, owner, { field: 'images', files }, now) : before.images;
      if (product.status !== before.status) {
        await changeCounts(tx, tenantId, 'products', [
          { status: before.status, by: -1 },
          { status: product.status, by: 1 },
        ]);
      }
      return { ...product, images };
    });
}
