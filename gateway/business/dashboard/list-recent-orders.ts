import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, pageRequest, writePage } from '../../paging.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../api-root.ts';
import { revalidated } from '../cache-control.ts';
import { LIST_FAILURES } from '../failures.ts';
import { orderBody, OrderList } from '../orders/order.ts';

/** Lists orders, newest first. */
export function listRecentOrders(): Endpoint {
  return (app, { dashboard: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: LIST_FAILURES },
      schema: {
        summary: 'List the newest orders',
        tags: ['Dashboard'],
        security: SECURITY,
        querystring: Type.Object(PAGE_PARAMETERS, { additionalProperties: false }),
        response: { 200: OrderList('Orders, the newest first.', PAGE_HEADERS) },
      },
      onRequest: revalidated,
      errorHandler: coreFirst((_request, options) => service.listRecentOrders({}, options)),
      handler: async (request, reply) => {
        const { orders, page } = await service.listRecentOrders(
          { page: pageRequest(request.query) },
          callOptions(request),
        );
        writePage(request, reply, page);
        const root = apiRootOf(request);
        return orders.map((order) => orderBody(order, root));
      },
    });
}
