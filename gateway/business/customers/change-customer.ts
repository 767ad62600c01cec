import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { CHANGE_FAILURES } from '../failures.ts';
import { sent } from '../sent.ts';
import { namedFields } from '../update-mask.ts';
import { IF_MATCH, preconditionOf, VERSION_HEADERS, writeVersion } from '../versions.ts';
import { ChangedCustomer, Customer, CUSTOMER_PATHS, customerBody, CustomerParams, fieldsOf } from './customer.ts';

/** Changes some fields of a customer. */
export function changeCustomer(): Endpoint {
  return (app, { customer: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: CHANGE_FAILURES },
      schema: {
        summary: 'Change a customer',
        tags: ['Customers'],
        security: SECURITY,
        params: CustomerParams,
        headers: Type.Object(IF_MATCH),
        body: ChangedCustomer,
        response: { 200: Customer('The customer was changed.', VERSION_HEADERS) },
      },
      onRequest: revalidated,
      errorHandler: coreFirst(({ params }, options) =>
        service.updateCustomer({ customerId: (params as CustomerParams).id }, options),
      ),
      handler: async (request, reply) => {
        const answer = await service.updateCustomer(
          {
            customerId: request.params.id,
            customer: fieldsOf(request.body),
            updateMask: namedFields(request.body, CUSTOMER_PATHS),
            tenantId: request.body.tenantId,
            precondition: preconditionOf(request),
          },
          callOptions(request),
        );
        const customer = sent(answer.customer, 'customer');
        writeVersion(reply, customer.version);
        return customerBody(customer);
      },
    });
}
