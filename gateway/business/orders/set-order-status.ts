import Type from 'typebox';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../api-root.ts';
import { revalidated } from '../cache-control.ts';
import { CHANGE_FAILURES } from '../failures.ts';
import { clearable, RECORD_MEMBERS, Text } from '../fields.ts';
import { StagedFiles } from '../images.ts';
import { sent } from '../sent.ts';
import { IF_MATCH, preconditionOf, VERSION_HEADERS, writeVersion } from '../versions.ts';
import { ORDER_STATUSES, orderStatusOf, type OrderStatusCode } from './codes.ts';
import { Order, orderBody, OrderParams } from './order.ts';

const ChangedStatus = Type.Object(
  {
    status: Type.Enum([...ORDER_STATUSES]),
    note: clearable(Text(2_000, 'Kept in the history.')),
    photos: clearable(
      StagedFiles('Staged files: with READY they become production photos, with DELIVERED delivery photos.'),
    ),
    ...RECORD_MEMBERS,
  },
  {
    additionalProperties: false,
    description: 'A new status for an order.',
    examples: [{ status: 'CONFIRMED', note: 'Paid.' }],
  },
);

/** Moves an order to another status. */
export function setOrderStatus(): Endpoint {
  return (app, { order: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: [...CHANGE_FAILURES, 'INVALID_TRANSITION'] },
      schema: {
        summary: "Change an order's status",
        tags: ['Orders'],
        security: SECURITY,
        params: OrderParams,
        headers: Type.Object(IF_MATCH),
        body: ChangedStatus,
        response: { 200: Order('The order has this status.', VERSION_HEADERS) },
      },
      onRequest: revalidated,
      errorHandler: coreFirst(({ params, body }, options) => {
        const orderId = (params as OrderParams).id;
        return service.setOrderStatus({ orderId, status: orderStatusOf(namedIn(body)), photos: [] }, options);
      }),
      handler: async (request, reply) => {
        const { status, note, photos, tenantId } = request.body;
        const answer = await service.setOrderStatus(
          {
            orderId: request.params.id,
            status: orderStatusOf(status),
            note: note ?? undefined,
            photos: photos ?? [],
            tenantId,
            precondition: preconditionOf(request),
          },
          callOptions(request),
        );
        const order = sent(answer.order, 'order');
        writeVersion(reply, order.version);
        return orderBody(order, apiRootOf(request));
      },
    });
}

/** The status that a broken body names all the same, for the role is judged by it. */
function namedIn(body: unknown): OrderStatusCode | undefined {
  const { status } = (body ?? {}) as { readonly status?: unknown };
  return ORDER_STATUSES.find((code) => code === status);
}
