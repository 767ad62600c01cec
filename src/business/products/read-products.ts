import type * as proto from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { PRODUCT_STATUS, type Product, productMessage } from './product.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { findRecord } from '../change-record.ts';
import type { Reads } from '../dependencies.ts';
import { tenantOf } from '../../platform/rpc/tenant.ts';
import { PRODUCTS, selectProducts } from './product-store.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import { parseSort } from '../sort.ts';

/** Returns the product that a request names, within the caller's tenant. Throws NOT_FOUND, also for malformed ids. */
export function createFindProduct({ database }: Reads) {
  return ({ productId }: { readonly productId: string }, call: Call): Promise<Product> =>
    findRecord(database, PRODUCTS, productId, call);
}

/** ProductService.GetProduct and ListProducts. */
export function productReads({ database }: Reads) {
  return {
    getProduct: loadThenHandle(
      createFindProduct({ database }),
      async (_request: proto.GetProductRequest, _call, product): Promise<proto.GetProductResponse> => ({
        product: productMessage(product),
      }),
    ),
    async listProducts(request: proto.ListProductsRequest, call: Call): Promise<proto.ListProductsResponse> {
      const tenantId = tenantOf(call);
      const page = pageOf(request, call);
      const { query, category, lowStock } = request;
      const filter = { query, status: PRODUCT_STATUS.nameOf(request.status), category, lowStock };
      const sort = parseSort(request.sort);
      const { items, total } = await selectProducts(database, tenantId, filter, sort, page);
      return { products: items.map(productMessage), page: pageInfo(page, total) };
    },
  };
}
