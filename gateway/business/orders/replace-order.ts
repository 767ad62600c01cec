import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../api-root.ts';
import { revalidated } from '../cache-control.ts';
import { CHANGE_FAILURES } from '../failures.ts';
import { sent } from '../sent.ts';
import { allFieldsBut } from '../update-mask.ts';
import { IF_MATCH, preconditionOf, VERSION_HEADERS, writeVersion } from '../versions.ts';
import { Order, orderBody, OrderParams } from './order.ts';
import { fieldsOf, MAX_ORDER_BYTES, ORDER_PATHS, refuseTooManyItems, ReplacedOrder } from './order-input.ts';

const MASK = allFieldsBut([], ORDER_PATHS);

/** Sets all fields of an order but its status and its photos. */
export function replaceOrder(): Endpoint {
  return (app, { order: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: [...CHANGE_FAILURES, 'INSUFFICIENT_STOCK', 'CONFLICT'] },
      schema: {
        summary: 'Replace an order',
        tags: ['Orders'],
        security: SECURITY,
        params: OrderParams,
        headers: Type.Object(IF_MATCH),
        body: ReplacedOrder,
        response: { 200: Order('The order was changed.', VERSION_HEADERS) },
      },
      bodyLimit: MAX_ORDER_BYTES,
      onRequest: revalidated,
      preValidation: refuseTooManyItems,
      errorHandler: coreFirst(({ params }, options) =>
        service.updateOrder({ orderId: (params as OrderParams).id }, options),
      ),
      handler: async (request, reply) => {
        const answer = await service.updateOrder(
          {
            orderId: request.params.id,
            order: fieldsOf(request.body),
            updateMask: MASK,
            tenantId: request.body.tenantId,
            precondition: preconditionOf(request),
          },
          callOptions(request),
        );
        const order = sent(answer.order, 'order');
        writeVersion(reply, order.version);
        return orderBody(order, apiRootOf(request));
      },
    });
}
