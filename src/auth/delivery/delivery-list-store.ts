// The webhook_deliveries table, as administrators see it. `delivery-store.ts` writes it.
import { id, integer, optional, optionalId, text, time, type Column } from '../../platform/db/columns.ts';
import { idToBytes } from '../../platform/db/ids.ts';
import { given } from '../../platform/db/query/condition.ts';
import type { ListOrder } from '../../platform/db/query/list-order.ts';
import { queryPage } from '../../platform/db/query/page-query.ts';
import type { CursorPage, Found } from '../../platform/db/query/page.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import { defineRecord, type ValuesOf } from '../../platform/db/record.ts';
import type { Database, Row, Statements } from '../../platform/db/types.ts';
import type { ReceiverAddress } from './queue-store.ts';

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED';

const COLUMNS = {
  /** The `webhook-id` of its requests. */
  id: id('id'),
  event: text('event'),
  recordId: optionalId('record_id'),
  status: text('status') as Column<DeliveryStatus>,
  attempts: integer('attempts'),
  createdAt: time('created_at'),
  attemptAt: optional(time('attempt_at')),
  nextAt: optional(time('next_at')),
  responseStatus: optional(integer('response_status')),
  error: optional(text('error')),
};
const DELIVERY = defineRecord('webhook_deliveries', { fixed: COLUMNS, fields: {} });
/** A delivery, without its content. */
export type Delivery = ValuesOf<typeof COLUMNS>;

/** An index of the deliveries. */
export const BY_STATUS = ['tenant_id', 'webhook_id', 'status', 'id'] as const;
const ADDRESSED = 'WHERE tenant_id = :tenant AND webhook_id = ? AND id = ?';

/** Newest first: ids ascend with time. */
export const DELIVERY_ORDER: ListOrder = { key: [{ column: 'd.id', kind: 'id' }], descending: true };

export async function selectDeliveries(
  database: Database,
  { tenantId, id }: ReceiverAddress,
  status: DeliveryStatus | undefined,
  page: CursorPage,
): Promise<Found<Delivery>> {
  const matching = [{ sql: 'd.webhook_id = ?', values: [idToBytes(id)] }, ...given(status, 'd.status = ?')];
  return queryPage(
    database,
    {
      table: 'webhook_deliveries',
      alias: 'd',
      primaryKey: ['tenant_id', 'webhook_id', 'id'],
      order: DELIVERY_ORDER,
      scope: { everyTenant: false, tenantId },
      branches: [{ index: status === undefined ? 'PRIMARY' : BY_STATUS, matching }],
      columns: DELIVERY.select('d'),
      read: (row: Row) => DELIVERY.read(row),
    },
    page,
  );
}

export async function findDelivery(
  db: Statements,
  { tenantId, id }: ReceiverAddress,
  deliveryId: string,
): Promise<Delivery | undefined> {
  const [row] = await tenantScope(db, tenantId).query(
    `SELECT ${DELIVERY.select('d')} FROM webhook_deliveries d WHERE d.tenant_id = :tenant AND d.webhook_id = ? AND d.id = ?`,
    [idToBytes(id), idToBytes(deliveryId)],
  );
  return row && DELIVERY.read(row);
}

/** Returns the newest attempts of a delivery, as `attempts-log.ts` writes them; undefined if none was kept. */
export async function selectAttemptsLog(
  db: Statements,
  receiver: ReceiverAddress,
  id: string,
): Promise<string | undefined> {
  const [row] = await tenantScope(db, receiver.tenantId).query<{ log: string | null }>(
    `SELECT attempts_log AS log FROM webhook_deliveries ${ADDRESSED}`,
    [idToBytes(receiver.id), idToBytes(id)],
  );
  return row?.log ?? undefined;
}
