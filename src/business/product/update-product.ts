import type {
  UpdateProductRequest,
  UpdateProductResponse,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import type { Clock } from '../../clock.ts';
import type { Statements } from '../../db/types.ts';
import { createRequestCheck } from '../../request-check.ts';
import { recordFirst } from '../../rpc/service.ts';
import { demandVersion } from '../precondition.ts';
import { checkStagedFiles } from '../staged-files.ts';
import { demandOwnTenant } from '../tenant.ts';
import { updateMaskOf } from '../update-mask.ts';
import type { ChangeProduct } from './change-product.ts';
import { createFindProduct } from './existing-product.ts';
import { changedFields, PRODUCT_FIELDS } from './product-input.ts';
import { productMessage } from './product-message.ts';

export interface UpdateProductDependencies {
  readonly database: Statements;
  readonly clock: Clock;
  readonly changeProduct: ChangeProduct;
}

/** ProductService.UpdateProduct. */
export function createUpdateProduct({ database, clock, changeProduct }: UpdateProductDependencies) {
  return recordFirst(
    createFindProduct({ database }),
    async (request: UpdateProductRequest, call, found): Promise<UpdateProductResponse> => {
      const check = createRequestCheck();
      const meant = updateMaskOf(check, request.updateMask, PRODUCT_FIELDS);
      const changes = changedFields(check, request.product, meant);
      const { images: files } = changes;
      if (files) await checkStagedFiles(check, database, found.tenantId, { field: 'images', files }, clock());
      check.demandValid('The product cannot be changed like this');
      demandOwnTenant(call, request.tenantId);

      if (meant.size > 0) {
        return { product: productMessage(await changeProduct(call, found, changes, request.precondition)) };
      }
      demandVersion(request.precondition, found.version);
      return { product: productMessage(found) };
    },
  );
}
