import type {
  ListProductsRequest,
  ListProductsResponse,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import type { Database } from '../../db/types.ts';
import { pageInfo, pageOf } from '../../paging.ts';
import { createRequestCheck, queryText } from '../../request-check.ts';
import type { Call } from '../../rpc/types.ts';
import { sortOf } from '../sort.ts';
import { tenantOf } from '../tenant.ts';
import { checkCategory, checkStatus } from './product-input.ts';
import { PRODUCT_SORT_FIELDS, selectProducts } from './product-list-store.ts';
import { productMessage } from './product-message.ts';

/** ProductService.ListProducts. */
export function createListProducts({ database }: { readonly database: Database }) {
  return async (request: ListProductsRequest, call: Call): Promise<ListProductsResponse> => {
    const tenantId = tenantOf(call);
    const page = pageOf(request.page);
    const check = createRequestCheck();
    const filter = {
      query: queryText(check, request.query),
      status: checkStatus(check, request.status),
      category: checkCategory(check, request.category),
      lowStock: request.lowStock,
    };
    const sort = sortOf(check, request.sort, PRODUCT_SORT_FIELDS);
    check.demandValid('The products cannot be listed like this');

    const { items, total } = await selectProducts(database, tenantId, filter, sort, page);
    return { products: items.map(productMessage), page: pageInfo(page, total) };
  };
}
