import Type from 'typebox';
import type { OrderStatusDescription } from '../../../proto/gen/authservice/business/v1/reference_data_service.ts';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, pageRequest, writePage } from '../../paging.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { LIST_FAILURES } from '../failures.ts';
import { ORDER_STATUSES, orderStatusCode } from '../orders/codes.ts';
import { sent } from '../sent.ts';

const Code = Type.Enum([...ORDER_STATUSES]);

const OrderStatuses = Type.Array(
  Type.Object(
    {
      code: Code,
      label: Type.String({ description: 'For people.' }),
      terminal: Type.Boolean({ description: 'Whether it is final.' }),
      next: Type.Array(Code, { description: 'Where an order can go from here.' }),
    },
    { title: 'OrderStatusDescription' },
  ),
  { description: 'The statuses of an order, in the order in which it goes through them.', headers: PAGE_HEADERS },
);

/** Lists the statuses of an order. */
export function listOrderStatuses(): Endpoint {
  return (app, { referenceData: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: LIST_FAILURES },
      schema: {
        summary: 'List the statuses of an order',
        tags: ['Reference data'],
        security: SECURITY,
        querystring: Type.Object(PAGE_PARAMETERS, { additionalProperties: false }),
        response: { 200: OrderStatuses },
      },
      onRequest: revalidated,
      errorHandler: coreFirst((_request, options) => service.listOrderStatuses({}, options)),
      handler: async (request, reply) => {
        const { statuses, page } = await service.listOrderStatuses(
          { page: pageRequest(request.query) },
          callOptions(request),
        );
        writePage(request, reply, page);
        return statuses.map(orderStatusBody);
      },
    });
}

function orderStatusBody({ status, label, terminal, next }: OrderStatusDescription) {
  const codes = next.map((following) => sent(orderStatusCode(following), 'status'));
  return { code: sent(orderStatusCode(status), 'status'), label, terminal, next: codes };
}
