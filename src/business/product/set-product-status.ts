import type {
  SetProductStatusRequest,
  SetProductStatusResponse,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { createRequestCheck } from '../../request-check.ts';
import { recordFirst } from '../../rpc/service.ts';
import { demandOwnTenant } from '../tenant.ts';
import { createFindProduct } from './existing-product.ts';
import { requiredStatus } from './product-input.ts';
import { productMessage } from './product-message.ts';
import type { UpdateProductDependencies } from './update-product.ts';

/** ProductService.SetProductStatus. */
export function createSetProductStatus({ database, changeProduct }: Omit<UpdateProductDependencies, 'clock'>) {
  return recordFirst(
    createFindProduct({ database }),
    async (request: SetProductStatusRequest, call, found): Promise<SetProductStatusResponse> => {
      const check = createRequestCheck();
      const status = requiredStatus(check, request.status);
      check.demandValid('The product cannot be given this status');
      demandOwnTenant(call, request.tenantId);

      return { product: productMessage(await changeProduct(call, found, { status }, request.precondition)) };
    },
  );
}
