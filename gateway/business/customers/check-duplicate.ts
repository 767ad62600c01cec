import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { LIST_FAILURES } from '../failures.ts';
import { leftOut } from '../fields.ts';
import { Email, Phone } from './customer.ts';

// That one of the two must be there, the core demands.
const CheckDuplicateQuery = Type.Object(
  { email: Type.Optional(Email), phone: Type.Optional(Phone) },
  { additionalProperties: false },
);

const Duplicates = Type.Object(
  {
    duplicate: Type.Boolean({ description: 'Whether there is any match.' }),
    matches: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          tenantId: Type.String(),
          name: Type.String(),
          email: leftOut(Type.String()),
          phone: leftOut(Type.String()),
          matchedOn: Type.Array(Type.String({ enum: ['email', 'phone'] }), { description: 'What is the same.' }),
        },
        { title: 'DuplicateCustomer' },
      ),
      { description: 'At most 100, the oldest first.' },
    ),
  },
  {
    title: 'FindDuplicateCustomersResponse',
    description: 'The customers with this e-mail address in any letter case, or the digits of this telephone number.',
  },
);

/** Looks for customers with this e-mail address or telephone number. */
export function checkDuplicate(): Endpoint {
  return (app, { customer: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: LIST_FAILURES },
      schema: {
        summary: 'Look for customers by e-mail address, telephone number or both',
        tags: ['Customers'],
        security: SECURITY,
        querystring: CheckDuplicateQuery,
        response: { 200: Duplicates },
      },
      onRequest: revalidated,
      errorHandler: coreFirst((_request, options) => service.findDuplicateCustomers({}, options)),
      handler: async (request) => {
        const { matches } = await service.findDuplicateCustomers(request.query, callOptions(request));
        return { duplicate: matches.length > 0, matches };
      },
    });
}
