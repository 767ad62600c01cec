import { isId } from '../../platform/db/ids.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { tenantOf } from '../tenant.ts';
import type { Order } from './order.ts';
import { ORDERS } from './order-store.ts';

/** Finds the order that a request names, within the caller's tenant. Throws NOT_FOUND. */
export function createFindOrder({ database }: { readonly database: Statements }) {
  return async ({ orderId }: { readonly orderId: string }, call: Call): Promise<Order> => {
    const tenantId = tenantOf(call);
    const order = isId(orderId) ? await ORDERS.find(database, tenantId, orderId) : undefined;
    if (!order) throw new ServiceError('NOT_FOUND');
    return order;
  };
}
