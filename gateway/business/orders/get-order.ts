import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../api-root.ts';
import { revalidated } from '../cache-control.ts';
import { RECORD_FAILURES } from '../failures.ts';
import { Unchanged, writeCurrent } from '../record-answer.ts';
import { sent } from '../sent.ts';
import { sendUnchanged } from '../unchanged.ts';
import { IF_NONE_MATCH, VERSION_HEADERS } from '../versions.ts';
import { Order, orderBody, OrderParams } from './order.ts';

/** Shows an order. */
export function getOrder(): Endpoint {
  return (app, { order: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: RECORD_FAILURES },
      schema: {
        summary: 'Show an order',
        tags: ['Orders'],
        security: SECURITY,
        params: OrderParams,
        headers: Type.Object(IF_NONE_MATCH),
        response: { 200: Order('The order.', VERSION_HEADERS), 304: Unchanged },
      },
      onRequest: revalidated,
      errorHandler: coreFirst(({ params }, options) =>
        service.getOrder({ orderId: (params as OrderParams).id }, options),
      ),
      handler: async (request, reply) => {
        const answer = await service.getOrder({ orderId: request.params.id }, callOptions(request));
        const order = sent(answer.order, 'order');
        if (writeCurrent(request, reply, order.version)) return sendUnchanged(reply);
        return orderBody(order, apiRootOf(request));
      },
    });
}
