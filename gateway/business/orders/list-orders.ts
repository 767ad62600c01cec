import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, pageRequest, writePage } from '../../paging.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../api-root.ts';
import { revalidated } from '../cache-control.ts';
import { LIST_FAILURES } from '../failures.ts';
import { nameParameter, searchParameter, sortParameter } from '../list-parameters.ts';
import { beginOf, endOf, timeParameter } from '../time-bounds.ts';
import { ORDER_STATUSES, orderStatusOf } from './codes.ts';
import { orderBody, OrderList } from './order.ts';

const SORT_FIELDS = ['number', 'createdAt', 'deliveryDate', 'total'];

const ListOrdersQuery = Type.Object(
  {
    ...PAGE_PARAMETERS,
    sort: sortParameter(SORT_FIELDS),
    q: searchParameter('the number, the delivery address or the note'),
    status: nameParameter(ORDER_STATUSES, 'Orders of this status alone.'),
    customerId: Type.Optional(Type.String({ minLength: 1, description: 'Orders of this customer alone.' })),
    from: timeParameter('Orders placed then or later.'),
    to: timeParameter('Orders placed then or earlier.'),
  },
  { additionalProperties: false },
);

/** Lists orders. */
export function listOrders(): Endpoint {
  return (app, { order: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: LIST_FAILURES },
      schema: {
        summary: 'List orders',
        tags: ['Orders'],
        security: SECURITY,
        querystring: ListOrdersQuery,
        response: { 200: OrderList('Orders in the order asked for.', PAGE_HEADERS) },
      },
      onRequest: revalidated,
      errorHandler: coreFirst((_request, options) =>
        service.listOrders({ sort: '', status: orderStatusOf(undefined) }, options),
      ),
      handler: async (request, reply) => {
        const { sort = '', q: query, status, customerId, from, to } = request.query;
        const { orders, page } = await service.listOrders(
          {
            page: pageRequest(request.query),
            sort,
            query,
            status: orderStatusOf(status),
            customerId,
            from: beginOf(from, 'from'),
            to: endOf(to, 'to'),
          },
          callOptions(request),
        );
        writePage(request, reply, page);
        const root = apiRootOf(request);
        return orders.map((order) => orderBody(order, root));
      },
    });
}
