import type * as proto from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { ServiceError } from '../../platform/errors.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { changeCounts } from '../counter-store.ts';
import { freeImages } from '../files/attachments.ts';
import type { Dependencies } from '../dependencies.ts';
import { lockForChange } from '../change-record.ts';
import { createFindOrder } from './read-orders.ts';
import { PHOTOGRAPHED } from './transition-order.ts';
import { returnStock } from './order-items.ts';
import { holdsStock, isDeletable } from './order-status.ts';
import { ORDERS } from './order-store.ts';

/** OrderService.DeleteOrder. */
export function createDeleteOrder({ database, clock }: Dependencies) {
  return loadThenHandle(
    createFindOrder({ database }),
    async ({ precondition }: proto.DeleteOrderRequest, call, { tenantId, id }): Promise<proto.DeleteOrderResponse> => {
      await database.transaction(call.deadline, async (tx) => {
        const now = clock();
        const target = { store: ORDERS, tenantId, id, precondition };
        const order = await lockForChange(tx, target, now);
        const { status } = order;
        if (!isDeletable(status)) {
          throw new ServiceError('CONFLICT', { detail: `the order is ${status}; only NEW and CANCELLED ones can go` });
        }
        if (holdsStock(status)) await returnStock(tx, order, now);
        for (const { kind } of Object.values(PHOTOGRAPHED)) await freeImages(tx, { kind, id, tenantId }, now);
        await ORDERS.remove(tx, tenantId, id);
        await changeCounts(tx, tenantId, 'orders', [{ status, by: -1 }]);
      });
      return {};
    },
  );
}
