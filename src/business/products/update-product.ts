import type {
  UpdateProductRequest,
  UpdateProductResponse,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Statements } from '../../platform/db/types.ts';
import { loadThenCheckReferences } from '../../platform/rpc/service.ts';
import { maskedFields } from '../masked-fields.ts';
import { assertVersion } from '../precondition.ts';
import { checkStagedFiles } from '../staged-files.ts';
import { assertOwnTenant } from '../tenant.ts';
import type { ChangeProduct } from './change-product.ts';
import { createFindProduct } from './existing-product.ts';
import { productChanges, productMessage } from './product.ts';

export interface UpdateProductDependencies {
  readonly database: Statements;
  readonly clock: Clock;
  readonly changeProduct: ChangeProduct;
}

/** ProductService.UpdateProduct. */
export function createUpdateProduct({ database, clock, changeProduct }: UpdateProductDependencies) {
  return loadThenCheckReferences(
    createFindProduct({ database }),
    async (request: UpdateProductRequest, call, found, violations): Promise<UpdateProductResponse> => {
      const { product, updateMask = [] } = request;
      const changes = productChanges(maskedFields(product ?? {}, updateMask));
      const { images: files } = changes;
      if (files) await checkStagedFiles(violations, database, found.tenantId, { field: 'images', files }, clock());
      violations.assertNone();
      assertOwnTenant(call, request.tenantId);

      if (updateMask.length > 0) {
        return { product: productMessage(await changeProduct(call, found, changes, request.precondition)) };
      }
      assertVersion(request.precondition, found.version);
      return { product: productMessage(found) };
    },
  );
}
