import type {
  ListProductsRequest,
  ListProductsResponse,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import type { Database } from '../../platform/db/types.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { parseSort } from '../sort.ts';
import { tenantOf } from '../tenant.ts';
import { PRODUCT_STATUS } from './product.ts';
import { selectProducts } from './product-store.ts';
import { productMessage } from './product.ts';

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
