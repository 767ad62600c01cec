import type * as proto from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { changeCounts } from '../counter-store.ts';
import { freeImages } from '../files/attachments.ts';
import type { Dependencies } from '../dependencies.ts';
import { lockForChange } from '../change-record.ts';
import { createFindProduct } from './read-products.ts';
import { PRODUCTS } from './product-store.ts';

/** ProductService.DeleteProduct. Also deletes its images. Orders keep copies of the data that they need. */
export function createDeleteProduct({ database, clock }: Dependencies) {
  return loadThenHandle(
    createFindProduct({ database }),
    async (request: proto.DeleteProductRequest, call, { tenantId, id }): Promise<proto.DeleteProductResponse> => {
      await database.transaction(call.deadline, async (tx) => {
        const now = clock();
        const { precondition } = request;
        const { status } = await lockForChange(tx, { store: PRODUCTS, tenantId, id, precondition }, now);
        await freeImages(tx, { kind: 'product', id, tenantId }, now);
        await PRODUCTS.remove(tx, tenantId, id);
        await changeCounts(tx, tenantId, 'products', [{ status, by: -1 }]);
      });
      return {};
    },
  );
}
