import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { RECORD_FAILURES } from '../failures.ts';
import { Unchanged, writeCurrent } from '../record-answer.ts';
import { sent } from '../sent.ts';
import { sendUnchanged } from '../unchanged.ts';
import { IF_NONE_MATCH, VERSION_HEADERS } from '../versions.ts';
import { Customer, customerBody, CustomerParams } from './customer.ts';

/** Shows a customer. */
export function getCustomer(): Endpoint {
  return (app, { customer: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: RECORD_FAILURES },
      schema: {
        summary: 'Show a customer',
        tags: ['Customers'],
        security: SECURITY,
        params: CustomerParams,
        headers: Type.Object(IF_NONE_MATCH),
        response: { 200: Customer('The customer.', VERSION_HEADERS), 304: Unchanged },
      },
      onRequest: revalidated,
      errorHandler: coreFirst(({ params }, options) =>
        service.getCustomer({ customerId: (params as CustomerParams).id }, options),
      ),
      handler: async (request, reply) => {
        const answer = await service.getCustomer({ customerId: request.params.id }, callOptions(request));
        const customer = sent(answer.customer, 'customer');
        if (writeCurrent(request, reply, customer.version)) return sendUnchanged(reply);
        return customerBody(customer);
      },
    });
}
