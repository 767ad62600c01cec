import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, pageRequest, writePage } from '../../paging.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { RECORD_FAILURES } from '../failures.ts';
import { CustomerParams } from './customer.ts';
import { noteBody, NoteList } from './note.ts';

/** Lists the notes on a customer. */
export function listCustomerNotes(): Endpoint {
  return (app, { customer: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: RECORD_FAILURES },
      schema: {
        summary: 'List the notes on a customer',
        tags: ['Customers'],
        security: SECURITY,
        params: CustomerParams,
        querystring: Type.Object(PAGE_PARAMETERS, { additionalProperties: false }),
        response: { 200: NoteList('Notes, the newest first.', PAGE_HEADERS) },
      },
      onRequest: revalidated,
      errorHandler: coreFirst(({ params }, options) =>
        service.listCustomerNotes({ customerId: (params as CustomerParams).id }, options),
      ),
      handler: async (request, reply) => {
        const { notes, page } = await service.listCustomerNotes(
          { customerId: request.params.id, page: pageRequest(request.query) },
          callOptions(request),
        );
        writePage(request, reply, page);
        return notes.map(noteBody);
      },
    });
}
