import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../api-root.ts';
import { revalidated } from '../cache-control.ts';
import { CREATE_FAILURES } from '../failures.ts';
import { CREATED_HEADERS, writeCreated } from '../record-answer.ts';
import { sent } from '../sent.ts';
import { fieldsOf, NewProduct, Product, productBody } from './product.ts';

/** Adds a product. */
export function createProduct(): Endpoint {
  return (app, { product: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: [...CREATE_FAILURES, 'CONFLICT'] },
      schema: {
        summary: 'Add a product',
        tags: ['Products'],
        security: SECURITY,
        body: NewProduct,
        response: { 201: Product('The product was added.', CREATED_HEADERS) },
      },
      onRequest: revalidated,
      errorHandler: coreFirst((_request, options) => service.createProduct({}, options)),
      handler: async (request, reply) => {
        const { tenantId } = request.body;
        const answer = await service.createProduct({ product: fieldsOf(request.body), tenantId }, callOptions(request));
        const product = sent(answer.product, 'product');
        writeCreated(request, reply, product);
        return productBody(product, apiRootOf(request));
      },
    });
}
