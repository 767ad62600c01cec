import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { RECORD_FAILURES } from '../failures.ts';
import { leftOut, Time } from '../fields.ts';
import { amountOf } from '../money.ts';
import { CustomerParams } from './customer.ts';

const Stats = Type.Object(
  {
    orderCount: Type.Integer({ description: 'Orders that were not cancelled.' }),
    totalSpent: Type.Number({ description: 'The sum of their totals.' }),
    averageOrderValue: Type.Number({ description: 'The mean of their totals; 0 without orders.' }),
    firstOrderAt: leftOut(Time('When the first was placed. Absent without orders.')),
    lastOrderAt: leftOut(Time('When the last was placed. Absent without orders.')),
    currency: Type.String({ description: 'ISO 4217; EUR without orders.' }),
  },
  {
    title: 'GetCustomerStatsResponse',
    description: 'What the customer has bought; of several currencies, in the one with the most orders.',
  },
);

/** Shows what a customer has bought. */
export function getCustomerStats(): Endpoint {
  return (app, { customer: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: RECORD_FAILURES },
      schema: {
        summary: 'Show what a customer has bought',
        tags: ['Customers'],
        security: SECURITY,
        params: CustomerParams,
        response: { 200: Stats },
      },
      onRequest: revalidated,
      errorHandler: coreFirst(({ params }, options) =>
        service.getCustomerStats({ customerId: (params as CustomerParams).id }, options),
      ),
      handler: async (request) => {
        const { orderCount, totalSpent, averageOrderValue, firstOrderAt, lastOrderAt, currency } =
          await service.getCustomerStats({ customerId: request.params.id }, callOptions(request));
        return {
          orderCount,
          totalSpent: amountOf(totalSpent),
          averageOrderValue: amountOf(averageOrderValue),
          firstOrderAt: firstOrderAt?.toISOString(),
          lastOrderAt: lastOrderAt?.toISOString(),
          currency,
        };
      },
    });
}
