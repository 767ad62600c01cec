import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, pageRequest, writePage } from '../../paging.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { LIST_FAILURES } from '../failures.ts';
import { PAYMENT_METHODS, paymentMethodCode } from '../orders/codes.ts';
import { sent } from '../sent.ts';

const PaymentMethods = Type.Array(
  Type.Object(
    { code: Type.Enum([...PAYMENT_METHODS]), label: Type.String({ description: 'For people.' }) },
    { title: 'PaymentMethodDescription' },
  ),
  {
    description: 'How an order can be paid.',
    headers: PAGE_HEADERS,
  },
);

/** Lists the ways of paying. */
export function listPaymentMethods(): Endpoint {
  return (app, { referenceData: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: LIST_FAILURES },
      schema: {
        summary: 'List the ways of paying',
        tags: ['Reference data'],
        security: SECURITY,
        querystring: Type.Object(PAGE_PARAMETERS, { additionalProperties: false }),
        response: { 200: PaymentMethods },
      },
      onRequest: revalidated,
      errorHandler: coreFirst((_request, options) => service.listPaymentMethods({}, options)),
      handler: async (request, reply) => {
        const { methods, page } = await service.listPaymentMethods(
          { page: pageRequest(request.query) },
          callOptions(request),
        );
        writePage(request, reply, page);
        return methods.map(({ method, label }) => ({ code: sent(paymentMethodCode(method), 'code'), label }));
      },
    });
}
