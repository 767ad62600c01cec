// A tenant's notifications: a union of three index ranges, which do not grow with completed orders.
import { hexOf, hexToId } from '../../platform/db/ids.ts';
import { tenantReads } from '../../platform/db/query/tenant-scope.ts';
import { queryWithTotal } from '../../platform/db/query/total.ts';
import type { Page } from '../../platform/db/query/page.ts';
import type { Database } from '../../platform/db/types.ts';
import { IS_LOW } from './inventory-alert-store.ts';
import type { Notification, NotificationKind } from './notification.ts';

interface NotificationFilter {
  /** Orders placed after this time are new, Unix milliseconds. */
  readonly newAfter: number;
  /** Open orders are overdue if their delivery date is before this date, YYYY-MM-DD. */
  readonly today: string;
}

interface NotificationRow {
  kind: NotificationKind;
  record: string;
  since: number;
  subject: string;
  detail: string;
}

const NEW_ORDERS = "orders WHERE tenant_id = :tenant AND status = 'NEW' AND created_at > ?";
const OVERDUE_ORDERS = `orders WHERE tenant_id = :tenant
   AND status IN ('NEW', 'CONFIRMED', 'IN_PRODUCTION', 'READY', 'OUT_FOR_DELIVERY') AND delivery_date < ?`;
const LOW_PRODUCTS = `products WHERE tenant_id = :tenant AND ${IS_LOW}`;

const ALL = `
  SELECT 'order-new' AS kind, id, created_at AS since, CAST(number AS CHAR) AS subject, '' AS detail
    FROM ${NEW_ORDERS}
  UNION ALL
  SELECT 'order-overdue', id, created_at, CAST(number AS CHAR), delivery_date FROM ${OVERDUE_ORDERS}
  UNION ALL
  SELECT CASE WHEN stock > 0 THEN 'stock-low' ELSE 'stock-out' END, id, updated_at, name, CAST(stock AS CHAR)
    FROM ${LOW_PRODUCTS}`;

/** Returns a page of a tenant's notifications, newest first, and their number. */
export async function selectNotifications(
  db: Pick<Database, 'queryLong'>,
  tenantId: string,
  { newAfter, today }: NotificationFilter,
  { perPage, offset, reader }: Pick<Page, 'perPage' | 'offset' | 'reader'>,
): Promise<{ readonly items: readonly Notification[]; readonly total: number }> {
  const causes = [newAfter, today];
  return queryWithTotal(
    tenantReads(db, tenantId, reader),
    {
      columns: `kind, ${hexOf('id')} AS record, since, subject, detail`,
      from: `FROM (${ALL}) AS causes ORDER BY since DESC, kind DESC, id DESC LIMIT ? OFFSET ?`,
      values: [...causes, perPage, offset],
      offset,
      read: notificationOf,
    },
    {
      sql: `SELECT (SELECT COUNT(*) FROM ${NEW_ORDERS}) + (SELECT COUNT(*) FROM ${OVERDUE_ORDERS})
                 + (SELECT COUNT(*) FROM ${LOW_PRODUCTS})`,
      values: causes,
    },
  );
}

function notificationOf({ kind, record, since, subject, detail }: NotificationRow): Notification {
  return { kind, recordId: hexToId(record), since, subject, detail };
}
