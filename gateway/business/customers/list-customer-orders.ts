import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, pageRequest, writePage } from '../../paging.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../api-root.ts';
import { revalidated } from '../cache-control.ts';
import { RECORD_FAILURES } from '../failures.ts';
import { orderBody, OrderList } from '../orders/order.ts';
import { CustomerParams } from './customer.ts';

/** Lists the orders of a customer. */
export function listCustomerOrders(): Endpoint {
  return (app, { customer: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: RECORD_FAILURES },
      schema: {
        summary: 'List the orders of a customer',
        tags: ['Customers'],
        security: SECURITY,
        params: CustomerParams,
        querystring: Type.Object(PAGE_PARAMETERS, { additionalProperties: false }),
        response: { 200: OrderList('Orders, the newest first.', PAGE_HEADERS) },
      },
      onRequest: revalidated,
      errorHandler: coreFirst(({ params }, options) =>
        service.listCustomerOrders({ customerId: (params as CustomerParams).id }, options),
      ),
      handler: async (request, reply) => {
        const { orders, page } = await service.listCustomerOrders(
          { customerId: request.params.id, page: pageRequest(request.query) },
          callOptions(request),
        );
        writePage(request, reply, page);
        const apiRoot = apiRootOf(request);
        return orders.map((order) => orderBody(order, apiRoot));
      },
    });
}
