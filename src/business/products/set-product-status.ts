import type {
  SetProductStatusRequest,
  SetProductStatusResponse,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { assertOwnTenant } from '../tenant.ts';
import { createFindProduct } from './existing-product.ts';
import { productChanges, productMessage } from './product.ts';
import type { UpdateProductDependencies } from './update-product.ts';

/** ProductService.SetProductStatus. */
export function createSetProductStatus({ database, changeProduct }: Omit<UpdateProductDependencies, 'clock'>) {
  return loadThenHandle(
    createFindProduct({ database }),
    async (request: SetProductStatusRequest, call, found): Promise<SetProductStatusResponse> => {
      const { status, tenantId, precondition } = request;
      assertOwnTenant(call, tenantId);
      const changed = await changeProduct(call, found, productChanges({ status }), precondition);
      return { product: productMessage(changed) };
    },
  );
}
