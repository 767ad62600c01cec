import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { ignoreTypeOfEmptyBody } from '../../http/json-body.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { DELETE_FAILURES } from '../failures.ts';
import { Deleted } from '../record-answer.ts';
import { IF_MATCH, preconditionOf } from '../versions.ts';
import { OrderParams } from './order.ts';

/** Deletes an order with its history and photos. */
export function deleteOrder(): Endpoint {
  return (app, { order: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: [...DELETE_FAILURES, 'CONFLICT'] },
      schema: {
        summary: 'Delete an order',
        tags: ['Orders'],
        security: SECURITY,
        params: OrderParams,
        headers: Type.Object(IF_MATCH),
        response: { 204: Deleted },
      },
      onRequest: [revalidated, ignoreTypeOfEmptyBody],
      errorHandler: coreFirst(({ params }, options) =>
        service.deleteOrder({ orderId: (params as OrderParams).id }, options),
      ),
      handler: async (request, reply) => {
        await service.deleteOrder(
          { orderId: request.params.id, precondition: preconditionOf(request) },
          callOptions(request),
        );
        return reply.code(204).send();
      },
    });
}
