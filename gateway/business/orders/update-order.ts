import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../api-root.ts';
import { revalidated } from '../cache-control.ts';
import { CHANGE_FAILURES } from '../failures.ts';
import { sent } from '../sent.ts';
import { allFieldsBut, namedFields } from '../update-mask.ts';
import { IF_MATCH, preconditionOf, VERSION_HEADERS, writeVersion } from '../versions.ts';
import { Order, orderBody, OrderParams } from './order.ts';
import {
  ChangedOrder,
  fieldsOf,
  MAX_ORDER_BYTES,
  ORDER_PATHS,
  refuseTooManyItems,
  ReplacedOrder,
} from './order-input.ts';

interface Update {
  readonly summary: string;
  readonly body: typeof ChangedOrder | typeof ReplacedOrder;
  /** The fields that a body sets, by their paths in the RPC. */
  readonly maskOf: (body: object) => string[];
}

/** Changes some fields of an order. */
export function changeOrder(): Endpoint {
  return updateOrder({
    summary: 'Change an order',
    body: ChangedOrder,
    maskOf: (body) => namedFields(body, ORDER_PATHS),
  });
}

/** Sets all fields of an order but its status and its photos. */
export function replaceOrder(): Endpoint {
  const all = allFieldsBut([], ORDER_PATHS);
  return updateOrder({ summary: 'Replace an order', body: ReplacedOrder, maskOf: () => all });
}

function updateOrder({ summary, body, maskOf }: Update): Endpoint {
  return (app, { order: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: [...CHANGE_FAILURES, 'INSUFFICIENT_STOCK', 'CONFLICT'] },
      schema: {
        summary,
        tags: ['Orders'],
        security: SECURITY,
        params: OrderParams,
        headers: Type.Object(IF_MATCH),
        body,
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
            updateMask: maskOf(request.body),
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
