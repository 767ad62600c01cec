import {
  NotificationType,
  type ListNotificationsRequest,
  type ListNotificationsResponse,
  type Notification as NotificationMessage,
} from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { pageInfo, pageOf } from '../../platform/rpc/paging.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { Dependencies } from '../dependencies.ts';
import { tenantOf } from '../../platform/rpc/tenant.ts';
import { textOf, type Notification, type NotificationKind } from './notification.ts';
import { selectNotifications } from './notification-store.ts';
import { utcDate } from './utc-calendar.ts';

/** Time for which an unconfirmed order counts as new. */
const NEW_FOR_MS = 24 * 3_600_000;

const MESSAGE_FIELDS: Readonly<Record<NotificationKind, Pick<NotificationMessage, 'type' | 'collection'>>> = {
  'order-new': { type: NotificationType.NOTIFICATION_TYPE_ORDER_NEW, collection: 'orders' },
  'order-overdue': { type: NotificationType.NOTIFICATION_TYPE_ORDER_OVERDUE, collection: 'orders' },
  'stock-low': { type: NotificationType.NOTIFICATION_TYPE_STOCK_LOW, collection: 'products' },
  'stock-out': { type: NotificationType.NOTIFICATION_TYPE_STOCK_OUT, collection: 'products' },
};

/** DashboardService.ListNotifications. Notifications have no read state; each disappears with its cause. */
export function createListNotifications({ database, clock }: Dependencies) {
  return async (request: ListNotificationsRequest, call: Call): Promise<ListNotificationsResponse> => {
    const tenantId = tenantOf(call);
    const page = pageOf(request, call);
    const now = clock();
    const causes = { newAfter: now - NEW_FOR_MS, today: utcDate(now) };
    const { items, total } = await selectNotifications(database, tenantId, causes, page);
    return { notifications: items.map((item) => notificationMessage(item, tenantId)), page: pageInfo(page, total) };
  };
}

function notificationMessage(notification: Notification, tenantId: string): NotificationMessage {
  const { kind, recordId, since } = notification;
  return {
    ...MESSAGE_FIELDS[kind],
    id: `${kind}-${recordId}`,
    message: textOf(notification),
    recordId,
    createdAt: new Date(since),
    tenantId,
  };
}
