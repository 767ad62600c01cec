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
import { Product, productBody, ProductParams } from './product.ts';

/** Shows a product. */
export function getProduct(): Endpoint {
  return (app, { product: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: RECORD_FAILURES },
      schema: {
        summary: 'Show a product',
        tags: ['Products'],
        security: SECURITY,
        params: ProductParams,
        headers: Type.Object(IF_NONE_MATCH),
        response: { 200: Product('The product.', VERSION_HEADERS), 304: Unchanged },
      },
      onRequest: revalidated,
      errorHandler: coreFirst(({ params }, options) =>
        service.getProduct({ productId: (params as ProductParams).id }, options),
      ),
      handler: async (request, reply) => {
        const answer = await service.getProduct({ productId: request.params.id }, callOptions(request));
        const product = sent(answer.product, 'product');
        if (writeCurrent(request, reply, product.version)) return sendUnchanged(reply);
        return productBody(product, apiRootOf(request));
      },
    });
}
