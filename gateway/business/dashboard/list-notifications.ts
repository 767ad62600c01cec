import Type from 'typebox';
import {
  notificationTypeToJSON,
  type Notification,
} from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, pageRequest, writePage } from '../../paging.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../api-root.ts';
import { revalidated } from '../cache-control.ts';
import { LIST_FAILURES } from '../failures.ts';
import { Time } from '../fields.ts';
import { sent } from '../sent.ts';

const TYPE_NAMES = ['ORDER_NEW', 'ORDER_OVERDUE', 'STOCK_LOW', 'STOCK_OUT'] as const;
type TypeName = (typeof TYPE_NAMES)[number];
const TYPE_PREFIX = 'NOTIFICATION_TYPE_';

const Notifications = Type.Array(
  Type.Object(
    {
      id: Type.String({ description: 'The same for as long as the cause stays.' }),
      tenantId: Type.String(),
      type: Type.Enum([...TYPE_NAMES]),
      message: Type.String({ description: 'For a person.' }),
      resource: Type.String({ description: 'Path of the order or the product.' }),
      createdAt: Time('When the order was placed, or the product last changed.'),
    },
    { title: 'Notification' },
  ),
  {
    description:
      'What needs attention, the newest first: orders of the last 24 hours that nobody has confirmed (ORDER_NEW), ' +
      'orders that should have been delivered before today (ORDER_OVERDUE), products whose stock is low (STOCK_LOW) or ' +
      'that have run out (STOCK_OUT). Each goes away with its cause.',
    headers: PAGE_HEADERS,
  },
);

/** Lists what needs attention. */
export function listNotifications(): Endpoint {
  return (app, { dashboard: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: LIST_FAILURES },
      schema: {
        summary: 'List what needs attention',
        tags: ['Dashboard'],
        security: SECURITY,
        querystring: Type.Object(PAGE_PARAMETERS, { additionalProperties: false }),
        response: { 200: Notifications },
      },
      onRequest: revalidated,
      errorHandler: coreFirst((_request, options) => service.listNotifications({}, options)),
      handler: async (request, reply) => {
        const { notifications, page } = await service.listNotifications(
          { page: pageRequest(request.query) },
          callOptions(request),
        );
        writePage(request, reply, page);
        const root = apiRootOf(request);
        return notifications.map((notification) => notificationBody(notification, root));
      },
    });
}

function notificationBody(
  { id, type, message, collection, recordId, createdAt, tenantId }: Notification,
  root: string,
) {
  return {
    id,
    tenantId,
    type: notificationTypeToJSON(type).slice(TYPE_PREFIX.length) as TypeName,
    message,
    resource: `${root}/${collection}/${recordId}`,
    createdAt: sent(createdAt, 'time').toISOString(),
  };
}
