import type { Precondition } from '../../../proto/gen/authservice/business/v1/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { CUSTOMERS } from '../customers/customer-store.ts';
import { lockForChange } from '../change-record.ts';
import { assertCanOrder } from './ordering-customer.ts';
import type { Order } from './order.ts';
import type { OrderFields } from './order-input.ts';
import { takeItems } from './order-items.ts';
import { hasSameItems } from './requested-items.ts';
import { isChangeable, type OrderStatus } from './order-status.ts';
import { ORDERS, replaceItems } from './order-store.ts';

/**
 * Changes some fields of an order and returns the updated order. Lines that equal the existing items are not a change:
 * the items keep their names and prices, even if the products have changed. Other lines replace all items. Throws
 * NOT_FOUND, PRECONDITION_FAILED, VALIDATION_ERROR, INSUFFICIENT_STOCK, CONFLICT.
 */
export type ChangeOrder = (
  call: Call,
  order: Pick<Order, 'tenantId' | 'id'>,
  changes: Partial<OrderFields>,
  precondition: Precondition | undefined,
) => Promise<Order>;

export function createChangeOrder(options: { readonly database: Database; readonly clock: Clock }): ChangeOrder {
  const { database, clock } = options;
  return (call, { tenantId, id }, changes, precondition) =>
    database.transaction(call.deadline, async (tx) => {
      const now = clock();
      const target = { store: ORDERS, tenantId, id, precondition };
      const before = await lockForChange(tx, target, now);
      assertEditable(before.status, changes);
      const { lines, ...details } = changes;
      const order = { ...before, ...details };
      if (order.customerId !== before.customerId) assertCanOrder(await CUSTOMERS.find(tx, tenantId, order.customerId));
      if (lines === undefined || hasSameItems(lines, before.items)) {
        await ORDERS.update(tx, order);
        return order;
      }
      const changed = { ...order, ...(await takeItems(tx, before, lines, now)) };
      await ORDERS.update(tx, changed);
      await replaceItems(tx, changed);
      return changed;
    });
}

/** Fields that are read-only once an order is in production. The note and the payment method stay changeable. */
const SETTLED = ['lines', 'customerId', 'deliveryDate', 'deliveryAddress'];

/** Throws CONFLICT if the mask contains a field that is read-only in this status, even unchanged. */
function assertEditable(status: OrderStatus, changes: Partial<OrderFields>): void {
  if (isChangeable(status) || !SETTLED.some((field) => Object.hasOwn(changes, field))) return;
  throw new ServiceError('CONFLICT', {
    detail: `the order is ${status}, so its items, customer and delivery do not change any more`,
  });
}
