import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { CREATE_FAILURES } from '../failures.ts';
import { CREATED_HEADERS, writeCreated } from '../record-answer.ts';
import { sent } from '../sent.ts';
import { Customer, customerBody, fieldsOf, NewCustomer } from './customer.ts';

/** Adds a customer. */
export function createCustomer(): Endpoint {
  return (app, { customer: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: CREATE_FAILURES },
      schema: {
        summary: 'Add a customer',
        tags: ['Customers'],
        security: SECURITY,
        body: NewCustomer,
        response: { 201: Customer('The customer was added.', CREATED_HEADERS) },
      },
      onRequest: revalidated,
      errorHandler: coreFirst((_request, options) => service.createCustomer({}, options)),
      handler: async (request, reply) => {
        const { tenantId } = request.body;
        const answer = await service.createCustomer(
          { customer: fieldsOf(request.body), tenantId },
          callOptions(request),
        );
        const customer = sent(answer.customer, 'customer');
        writeCreated(request, reply, customer);
        return customerBody(customer);
      },
    });
}
