import type {
  GetProductRequest,
  GetProductResponse,
  ListProductsRequest,
  ListProductsResponse,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { PRODUCT_STATUS, type Product, productMessage } from './product.ts';
import { isId } from '../../platform/db/ids.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { tenantOf } from '../tenant.ts';
import { PRODUCTS, selectProducts } from './product-store.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import { parseSort } from '../sort.ts';

/** Returns the product that a request names, within the caller's tenant. Throws NOT_FOUND, also for malformed ids. */
export function createFindProduct({ database }: { readonly database: Statements }) {
  return async ({ productId }: { readonly productId: string }, call: Call): Promise<Product> => {
    const tenantId = tenantOf(call);
    const product = isId(productId) ? await PRODUCTS.find(database, tenantId, productId) : undefined;
    if (!product) throw new ServiceError('NOT_FOUND');
    return product;
  };
}

/** ProductService.GetProduct. */
export function createGetProduct(dependencies: { readonly database: Statements }) {
  return loadThenHandle(
    createFindProduct(dependencies),
    async (_request: GetProductRequest, _call, product): Promise<GetProductResponse> => ({
      product: productMessage(product),
    }),
  );
}

/** ProductService.ListProducts. */
export function createListProducts({ database }: { readonly database: Database }) {
  return async (request: ListProductsRequest, call: Call): Promise<ListProductsResponse> => {
    const tenantId = tenantOf(call);
    const page = pageOf(request, call);
    const { query, category, lowStock } = request;
    const filter = { query, status: PRODUCT_STATUS.nameOf(request.status), category, lowStock };
    const sort = parseSort(request.sort);
    const { items, total } = await selectProducts(database, tenantId, filter, sort, page);
    return { products: items.map(productMessage), page: pageInfo(page, total) };
  };
}
