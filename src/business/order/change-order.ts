import type { Precondition } from '../../../proto/gen/business/v1/record.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/types.ts';
import { ServiceError } from '../../errors.ts';
import type { Call } from '../../rpc/types.ts';
import { findCustomer } from '../customer/customer-store.ts';
import { lockForChange } from '../lock-for-change.ts';
import { demandMayOrder } from './ordering-customer.ts';
import type { Order } from './order.ts';
import type { OrderFields } from './order-input.ts';
import { takeItems } from './order-items.ts';
import { isAskedFor } from './order-lines.ts';
import { isChangeable } from './order-status.ts';
import { findOrder, replaceItems, updateOrder } from './order-store.ts';

/**
 * Changes some fields of an order; the order as it then is. Lines that ask for just the items that it has are no change:
 * those keep their names and prices, whatever became of the products; other lines make all items anew. Throws NOT_FOUND,
 * PRECONDITION_FAILED, VALIDATION_ERROR, INSUFFICIENT_STOCK, CONFLICT.
 */
export type ChangeOrder = (
  call: Call,
  order: Pick<Order, 'tenantId' | 'id'>,
  changes: Partial<OrderFields>,
  precondition: Precondition | undefined,
) => Promise<Order>;

export function createChangeOrder(options: { readonly database: Database; readonly clock: Clock }): ChangeOrder {
  const { database, clock } = options;
  return (call, { tenantId, id }, { lines, ...details }, precondition) =>
    database.transaction(call.deadline, async (tx) => {
      const now = clock();
      const target = { table: 'orders', tenantId, id, precondition, find: findOrder } as const;
      const before = await lockForChange(tx, target, now);
      if (!isChangeable(before.status)) {
        throw new ServiceError('CONFLICT', { detail: `the order is ${before.status}, so it does not change any more` });
      }
      const order = { ...before, ...details };
      if (order.customerId !== before.customerId) demandMayOrder(await findCustomer(tx, tenantId, order.customerId));
      if (lines === undefined || isAskedFor(lines, before.items)) {
        await updateOrder(tx, order);
        return order;
      }
      const changed = { ...order, ...(await takeItems(tx, before, lines, now)) };
      await updateOrder(tx, changed);
      await replaceItems(tx, changed);
      return changed;
    });
}
