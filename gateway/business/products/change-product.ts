import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../api-root.ts';
import { revalidated } from '../cache-control.ts';
import { CHANGE_FAILURES } from '../failures.ts';
import { sent } from '../sent.ts';
import { namedFields } from '../update-mask.ts';
import { IF_MATCH, preconditionOf, VERSION_HEADERS, writeVersion } from '../versions.ts';
import { ChangedProduct, fieldsOf, Product, PRODUCT_PATHS, productBody, ProductParams } from './product.ts';

/** Changes some fields of a product. */
export function changeProduct(): Endpoint {
  return (app, { product: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: [...CHANGE_FAILURES, 'CONFLICT'] },
      schema: {
        summary: 'Change a product',
        tags: ['Products'],
        security: SECURITY,
        params: ProductParams,
        headers: Type.Object(IF_MATCH),
        body: ChangedProduct,
        response: { 200: Product('The product was changed.', VERSION_HEADERS) },
      },
      onRequest: revalidated,
      errorHandler: coreFirst(({ params }, options) =>
        service.updateProduct({ productId: (params as ProductParams).id }, options),
      ),
      handler: async (request, reply) => {
        const answer = await service.updateProduct(
          {
            productId: request.params.id,
            product: fieldsOf(request.body),
            updateMask: namedFields(request.body, PRODUCT_PATHS),
            tenantId: request.body.tenantId,
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
