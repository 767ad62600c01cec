import type {
  GetProductRequest,
  GetProductResponse,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import type { Statements } from '../../platform/db/types.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { createFindProduct } from './existing-product.ts';
import { productMessage } from './product.ts';

/** ProductService.GetProduct. */
export function createGetProduct(dependencies: { readonly database: Statements }) {
  return loadThenHandle(
    createFindProduct(dependencies),
    async (_request: GetProductRequest, _call, product): Promise<GetProductResponse> => ({
      product: productMessage(product),
    }),
  );
}
