import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { CHANGE_FAILURES } from '../failures.ts';
import { sent } from '../sent.ts';
import { IF_MATCH, preconditionOf, VERSION_HEADERS, writeVersion } from '../versions.ts';
import { ChangedStatus, Customer, customerBody, CustomerParams, statusOf } from './customer.ts';

/** Changes the status of a customer. */
export function setCustomerStatus(): Endpoint {
  return (app, { customer: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: CHANGE_FAILURES },
      schema: {
        summary: "Change a customer's status",
        tags: ['Customers'],
        security: SECURITY,
        params: CustomerParams,
        headers: Type.Object(IF_MATCH),
        body: ChangedStatus,
        response: { 200: Customer('The customer has this status.', VERSION_HEADERS) },
      },
      onRequest: revalidated,
      errorHandler: coreFirst(({ params }, options) =>
        service.setCustomerStatus({ customerId: (params as CustomerParams).id, status: statusOf(undefined) }, options),
      ),
      handler: async (request, reply) => {
        const { status, tenantId } = request.body;
        const answer = await service.setCustomerStatus(
          {
            customerId: request.params.id,
            status: statusOf(status),
            tenantId,
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
