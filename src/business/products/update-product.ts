import type * as proto from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { loadThenCheckReferences, loadThenHandle } from '../../platform/rpc/service.ts';
import { type ChangeRequest, changeRecord, maskedFields } from '../change-record.ts';
import type { Dependencies } from '../dependencies.ts';
import { checkStagedFiles, replaceImages } from '../files/attachments.ts';
import { assertOwnTenant } from '../../platform/rpc/tenant.ts';
import { createFindProduct } from './read-products.ts';
import { type Product, type ProductChanges, productChanges, productMessage } from './product.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { PRODUCTS } from './product-store.ts';
import { refuseTakenSku } from './create-product.ts';

/** ProductService.UpdateProduct and SetProductStatus. */
export function productUpdates(dependencies: Dependencies) {
  const { database, clock } = dependencies;
  const find = createFindProduct(dependencies);

  /**
   * Changes some fields of a product and returns the updated product. Throws NOT_FOUND, PRECONDITION_FAILED, CONFLICT,
   * and VALIDATION_ERROR if a file is no longer a staged image.
   */
  async function change(
    call: Call,
    found: Product,
    { images: files, ...changes }: ProductChanges,
    request: ChangeRequest,
  ): Promise<{ readonly product: proto.Product }> {
    const target = { kind: 'products', store: PRODUCTS, found } as const;
    const changed = await changeRecord(dependencies, call, target, request, async (tx, before, now) => {
      const { id, tenantId, images } = before;
      const product = { ...before, ...changes };
      await refuseTakenSku(PRODUCTS.update(tx, product));
      const owner = { kind: 'product', id, tenantId } as const;
      return { ...product, images: files ? await replaceImages(tx, owner, { field: 'images', files }, now) : images };
    });
    return { product: productMessage(changed) };
  }

  return {
    updateProduct: loadThenCheckReferences(
      find,
      async (request: proto.UpdateProductRequest, call, found, violations): Promise<proto.UpdateProductResponse> => {
        const changes = productChanges(maskedFields(request.product ?? {}, request.updateMask ?? []));
        const { images: files } = changes;
        if (files) await checkStagedFiles(violations, database, found.tenantId, { field: 'images', files }, clock());
        violations.assertNone();
        assertOwnTenant(call, request.tenantId);
        return change(call, found, changes, request);
      },
    ),
    setProductStatus: loadThenHandle(
      find,
      async (request: proto.SetProductStatusRequest, call, found): Promise<proto.SetProductStatusResponse> => {
        assertOwnTenant(call, request.tenantId);
        return change(call, found, productChanges({ status: request.status }), request);
      },
    ),
  };
}
