import type {
  DeleteProductRequest,
  DeleteProductResponse,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { changeCounts } from '../counter-store.ts';
import { freeImages } from '../files/attachments.ts';
import { lockForChange } from '../change-record.ts';
import { createFindProduct } from './read-products.ts';
import { PRODUCTS } from './product-store.ts';

/** ProductService.DeleteProduct. Also deletes its images. Orders keep copies of the data that they need. */
export function createDeleteProduct(options: { readonly database: Database; readonly clock: Clock }) {
  const { database, clock } = options;
  return loadThenHandle(
    createFindProduct({ database }),
    async ({ precondition }: DeleteProductRequest, call, { tenantId, id }): Promise<DeleteProductResponse> => {
      await database.transaction(call.deadline, async (tx) => {
        const now = clock();
        const target = { store: PRODUCTS, tenantId, id, precondition };
        const { status } = await lockForChange(tx, target, now);
        await freeImages(tx, { kind: 'product', id, tenantId }, now);
        await PRODUCTS.remove(tx, tenantId, id);
        await changeCounts(tx, tenantId, 'products', [{ status, by: -1 }]);
      });
      return {};
    },
  );
}
