import Type from 'typebox';
import type { OrderStatusChange } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, pageRequest, writePage } from '../../paging.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { RECORD_FAILURES } from '../failures.ts';
import { leftOut, Time } from '../fields.ts';
import { sent } from '../sent.ts';
import { ORDER_STATUSES, orderStatusCode, type OrderStatusCode } from './codes.ts';
import { OrderParams } from './order.ts';

const History = Type.Array(
  Type.Object(
    {
      tenantId: Type.String(),
      from: Type.Unsafe<OrderStatusCode | null>({
        type: ['string', 'null'],
        enum: [...ORDER_STATUSES, null],
        description: 'null at the creation.',
      }),
      to: Type.Enum([...ORDER_STATUSES]),
      at: Time('When.'),
      by: Type.String({ description: 'Account id of who moved it.' }),
      note: leftOut(Type.String({ description: 'What was noted.' })),
    },
    { title: 'OrderStatusChange' },
  ),
  { description: 'The statuses that the order has had, oldest first.', headers: PAGE_HEADERS },
);

/** Lists the statuses that an order has had. */
export function listOrderStatusHistory(): Endpoint {
  return (app, { order: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: RECORD_FAILURES },
      schema: {
        summary: "List an order's statuses",
        tags: ['Orders'],
        security: SECURITY,
        params: OrderParams,
        querystring: Type.Object(PAGE_PARAMETERS, { additionalProperties: false }),
        response: { 200: History },
      },
      onRequest: revalidated,
      errorHandler: coreFirst(({ params }, options) =>
        service.listOrderStatusHistory({ orderId: (params as OrderParams).id }, options),
      ),
      handler: async (request, reply) => {
        const { changes, page } = await service.listOrderStatusHistory(
          { orderId: request.params.id, page: pageRequest(request.query) },
          callOptions(request),
        );
        writePage(request, reply, page);
        return changes.map(changeBody);
      },
    });
}

function changeBody({ from, to, at, by, note, tenantId }: OrderStatusChange) {
  return {
    tenantId,
    from: orderStatusCode(from) ?? null,
    to: sent(orderStatusCode(to), 'status'),
    at: sent(at, 'time').toISOString(),
    by,
    note,
  };
}
