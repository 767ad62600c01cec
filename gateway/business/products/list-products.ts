import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, pageRequest, writePage } from '../../paging.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../api-root.ts';
import { revalidated } from '../cache-control.ts';
import { LIST_FAILURES } from '../failures.ts';
import { flagOf, flagParameter, nameParameter, searchParameter, sortParameter } from '../list-parameters.ts';
import { productBody, ProductList, STATUS_NAMES, statusOf } from './product.ts';

const SORT_FIELDS = ['sku', 'name', 'category', 'price', 'stock', 'createdAt', 'updatedAt'];

const ListProductsQuery = Type.Object(
  {
    ...PAGE_PARAMETERS,
    sort: sortParameter(SORT_FIELDS),
    q: searchParameter('the SKU, the name or the category'),
    status: nameParameter(STATUS_NAMES, 'Products of this status alone.'),
    category: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Products of exactly this category alone.' }),
    ),
    lowStock: flagParameter('Products whose stock is low, or those whose stock is not.'),
  },
  { additionalProperties: false },
);

/** Lists products. */
export function listProducts(): Endpoint {
  return (app, { product: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: LIST_FAILURES },
      schema: {
        summary: 'List products',
        tags: ['Products'],
        security: SECURITY,
        querystring: ListProductsQuery,
        response: { 200: ProductList('Products in the order asked for.', PAGE_HEADERS) },
      },
      onRequest: revalidated,
      errorHandler: coreFirst((_request, options) =>
        service.listProducts({ sort: '', status: statusOf(undefined) }, options),
      ),
      handler: async (request, reply) => {
        const { sort = '', q, status, category, lowStock } = request.query;
        const { products, page } = await service.listProducts(
          {
            page: pageRequest(request.query),
            sort,
            query: q,
            status: statusOf(status),
            category,
            lowStock: flagOf(lowStock),
          },
          callOptions(request),
        );
        writePage(request, reply, page);
        const root = apiRootOf(request);
        return products.map((product) => productBody(product, root));
      },
    });
}
