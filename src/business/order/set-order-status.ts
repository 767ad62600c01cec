import {
  OrderStatus as StatusMessage,
  type SetOrderStatusRequest,
  type SetOrderStatusResponse,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/types.ts';
import { createRequestCheck, type RequestCheck } from '../../request-check.ts';
import { recordFirst } from '../../rpc/service.ts';
import type { Call } from '../../rpc/types.ts';
import { lockForChange } from '../lock-for-change.ts';
import { checkStagedFiles } from '../staged-files.ts';
import { demandOwnTenant } from '../tenant.ts';
import { createFindOrder } from './existing-order.ts';
import { isPhotographed, moveOrder, PHOTOGRAPHED } from './move-order.ts';
import type { Order } from './order.ts';
import { checkNote, checkStatus } from './order-input.ts';
import { orderMessage, orderStatusOf } from './order-message.ts';
import type { OrderStatus } from './order-status.ts';
import { findOrder } from './order-store.ts';
import { demandStatusPermission } from './status-permission.ts';

/** OrderService.SetOrderStatus: the role is judged by the status wanted, before the order is looked for. */
export function createSetOrderStatus(options: { readonly database: Database; readonly clock: Clock }) {
  const { database, clock } = options;
  const find = createFindOrder({ database });
  return recordFirst(
    async (request: SetOrderStatusRequest, call: Call): Promise<Order> => {
      const status = orderStatusOf(request.status);
      if (status !== undefined) demandStatusPermission(call, status);
      return find(request, call);
    },
    async (request: SetOrderStatusRequest, call, { tenantId, id }): Promise<SetOrderStatusResponse> => {
      const check = createRequestCheck();
      if (request.status === StatusMessage.ORDER_STATUS_UNSPECIFIED) check.missing('status');
      const status = checkStatus(check, request.status);
      const note = checkNote(check, request.note);
      checkPhotos(check, request, status);
      const named = { field: 'photos', files: request.photos };
      await checkStagedFiles(check, database, tenantId, named, clock());
      check.demandValid('The order cannot have this status');
      demandOwnTenant(call, request.tenantId);

      const to = status!;
      const order = await database.transaction(call.deadline, async (tx) => {
        const now = clock();
        const target = { table: 'orders', tenantId, id, precondition: request.precondition, find: findOrder } as const;
        const before = await lockForChange(tx, target, now);
        return moveOrder(tx, before, { to, note, by: call.principal!.account.id, now, photos: request.photos });
      });
      return { order: orderMessage(order) };
    },
  );
}

function checkPhotos(check: RequestCheck, { photos }: SetOrderStatusRequest, status: OrderStatus | undefined): void {
  if (photos.length > 0 && status !== undefined && !isPhotographed(status)) {
    const params = { allowed: Object.keys(PHOTOGRAPHED) };
    check.violate({ message: 'belong to READY and DELIVERED only', format: 'status', props: ['photos'], params });
  }
}
