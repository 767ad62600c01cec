import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, pageRequest, writePage } from '../../paging.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { LIST_FAILURES } from '../failures.ts';
import { nameParameter, searchParameter, sortParameter } from '../list-parameters.ts';
import { customerBody, CustomerList, STATUS_NAMES, statusOf } from './customer.ts';

const ListCustomersQuery = Type.Object(
  {
    ...PAGE_PARAMETERS,
    sort: sortParameter(['name', 'email', 'createdAt', 'updatedAt']),
    q: searchParameter('the name, the e-mail address or the telephone number'),
    status: nameParameter(STATUS_NAMES, 'Customers of this status alone.'),
  },
  { additionalProperties: false },
);

/** Lists customers. */
export function listCustomers(): Endpoint {
  return (app, { customer: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: LIST_FAILURES },
      schema: {
        summary: 'List customers',
        tags: ['Customers'],
        security: SECURITY,
        querystring: ListCustomersQuery,
        response: { 200: CustomerList('Customers in the order asked for.', PAGE_HEADERS) },
      },
      onRequest: revalidated,
      errorHandler: coreFirst((_request, options) =>
        service.listCustomers({ sort: '', status: statusOf(undefined) }, options),
      ),
      handler: async (request, reply) => {
        const { sort = '', q, status } = request.query;
        const { customers, page } = await service.listCustomers(
          { page: pageRequest(request.query), sort, query: q, status: statusOf(status) },
          callOptions(request),
        );
        writePage(request, reply, page);
        return customers.map(customerBody);
      },
    });
}
