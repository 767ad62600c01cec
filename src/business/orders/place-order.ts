import type { Statements } from '../../platform/db/types.ts';
import { changeCounts, nextOrderNumber } from '../counter-store.ts';
import { newRecord } from '../record-store.ts';
import type { Order } from './order.ts';
import type { OrderFields } from './requested-items.ts';
import { takeItems } from './order-items.ts';
import { ORDERS } from './order-store.ts';
import { insertStatusChange } from './status-change-store.ts';

interface Placement extends OrderFields {
  readonly tenantId: string;
  /** Account id of the creator. */
  readonly by: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * Places an order of a customer who may order: takes the stock, then the number, then stores the order. Throws like
 * takeItems.
 */
export async function placeOrder(tx: Statements, { lines, by, now, ...details }: Placement): Promise<Order> {
  const { tenantId } = details;
  const taken = await takeItems(tx, { tenantId, items: [] }, lines, now);
  // Taken late, because all new orders of the tenant wait for each other here.
  const number = await nextOrderNumber(tx, tenantId);
  const order: Order = {
    ...details,
    ...taken,
    ...newRecord(tenantId, now),
    number,
    status: 'NEW',
    productionPhotos: [],
    deliveryPhotos: [],
  };
  await ORDERS.insert(tx, order);
  await insertStatusChange(tx, order, { from: undefined, to: 'NEW', at: now, by, note: undefined });
  await changeCounts(tx, tenantId, 'orders', [{ status: 'NEW', by: 1 }]);
  return order;
}
