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
import { ProductParams } from './product.ts';

/** Deletes a product. */
export function deleteProduct(): Endpoint {
  return (app, { product: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: DELETE_FAILURES },
      schema: {
        summary: 'Delete a product',
        tags: ['Products'],
        security: SECURITY,
        params: ProductParams,
        headers: Type.Object(IF_MATCH),
        response: { 204: Deleted },
      },
      onRequest: [revalidated, ignoreTypeOfEmptyBody],
      errorHandler: coreFirst(({ params }, options) =>
        service.deleteProduct({ productId: (params as ProductParams).id }, options),
      ),
      handler: async (request, reply) => {
        await service.deleteProduct(
          { productId: request.params.id, precondition: preconditionOf(request) },
          callOptions(request),
        );
        return reply.code(204).send();
      },
    });
}
