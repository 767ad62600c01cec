import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../api-root.ts';
import { revalidated } from '../cache-control.ts';
import { CREATE_FAILURES } from '../failures.ts';
import { CREATED_HEADERS, writeCreated } from '../record-answer.ts';
import { sent } from '../sent.ts';
import { Order, orderBody } from './order.ts';
import { fieldsOf, MAX_ORDER_BYTES, NewOrder, refuseTooManyItems } from './order-input.ts';

const IDEMPOTENCY_KEY = {
  'idempotency-key': Type.Optional(
    Type.String({
      // Of several such headers Node makes one, with blanks between them.
      pattern: '^[!-~]{1,255}$',
      description:
        'For 24 hours the same key with the same body gets the first answer again. 1-255 visible characters.',
    }),
  ),
};

/** Places an order. */
export function createOrder(): Endpoint {
  return (app, { order: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: [...CREATE_FAILURES, 'INSUFFICIENT_STOCK', 'CONFLICT'] },
      schema: {
        summary: 'Place an order',
        tags: ['Orders'],
        security: SECURITY,
        headers: Type.Object(IDEMPOTENCY_KEY),
        body: NewOrder,
        response: { 201: Order('The order was placed.', CREATED_HEADERS) },
      },
      bodyLimit: MAX_ORDER_BYTES,
      onRequest: revalidated,
      preValidation: refuseTooManyItems,
      errorHandler: coreFirst((_request, options) => service.createOrder({}, options)),
      handler: async (request, reply) => {
        const answer = await service.createOrder(
          {
            order: fieldsOf(request.body),
            tenantId: request.body.tenantId,
            idempotencyKey: request.headers['idempotency-key'],
          },
          callOptions(request),
        );
        const order = sent(answer.order, 'order');
        writeCreated(request, reply, order);
        return orderBody(order, apiRootOf(request));
      },
    });
}
