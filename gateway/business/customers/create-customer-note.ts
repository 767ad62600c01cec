import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { CREATE_FAILURES } from '../failures.ts';
import { ignored, RECORD_MEMBERS, Text } from '../fields.ts';
import { sent } from '../sent.ts';
import { CustomerParams } from './customer.ts';
import { Note, noteBody } from './note.ts';

const NewNote = Type.Object(
  { text: Text(2_000, 'What is noted.'), ...RECORD_MEMBERS, ...ignored('authorId') },
  {
    additionalProperties: false,
    description: 'A note to be added in the name of the caller.',
    examples: [{ text: 'Prefers white roses.' }],
  },
);

/** Adds a note on a customer. */
export function createCustomerNote(): Endpoint {
  return (app, { customer: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: [...CREATE_FAILURES, 'NOT_FOUND'] },
      schema: {
        summary: 'Add a note on a customer',
        tags: ['Customers'],
        security: SECURITY,
        params: CustomerParams,
        body: NewNote,
        response: { 201: Note('The note was added.') },
      },
      onRequest: revalidated,
      errorHandler: coreFirst(({ params }, options) =>
        service.createCustomerNote({ customerId: (params as CustomerParams).id, text: '' }, options),
      ),
      handler: async (request, reply) => {
        const { text, tenantId } = request.body;
        const { note } = await service.createCustomerNote(
          { customerId: request.params.id, text, tenantId },
          callOptions(request),
        );
        reply.code(201);
        return noteBody(sent(note, 'note'));
      },
    });
}
