import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../api-root.ts';
import { revalidated } from '../cache-control.ts';
import { CHANGE_FAILURES } from '../failures.ts';
import { sent } from '../sent.ts';
import { IF_MATCH, preconditionOf, VERSION_HEADERS, writeVersion } from '../versions.ts';
import { ChangedStatus, Product, productBody, ProductParams, statusOf } from './product.ts';

/** Changes the status of a product. */
export function setProductStatus(): Endpoint {
  return (app, { product: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: CHANGE_FAILURES },
      schema: {
        summary: "Change a product's status",
        tags: ['Products'],
        security: SECURITY,
        params: ProductParams,
        headers: Type.Object(IF_MATCH),
        body: ChangedStatus,
        response: { 200: Product('The product has this status.', VERSION_HEADERS) },
      },
      onRequest: revalidated,
      errorHandler: coreFirst(({ params }, options) =>
        service.setProductStatus({ productId: (params as ProductParams).id, status: statusOf(undefined) }, options),
      ),
      handler: async (request, reply) => {
        const { status, tenantId } = request.body;
        const answer = await service.setProductStatus(
          {
            productId: request.params.id,
            status: statusOf(status),
            tenantId,
            precondition: preconditionOf(request),
          },
          callOptions(request),
        );
        const product = sent(answer.product, 'product');
        writeVersion(reply, product.version);
        return productBody(product, apiRootOf(request));
      },
    });
}
