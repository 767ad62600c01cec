import type {
  SetOrderStatusRequest,
  SetOrderStatusResponse,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import type { RequestViolations } from '../../platform/rpc/request-violations.ts';
import { loadThenCheckReferences } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { lockForChange } from '../change-record.ts';
import { checkStagedFiles } from '../staged-files.ts';
import { assertOwnTenant } from '../tenant.ts';
import { createFindOrder } from './existing-order.ts';
import { isPhotographed, transitionOrder, PHOTOGRAPHED } from './transition-order.ts';
import type { Order } from './order.ts';
import { orderMessage } from './order.ts';
import { ORDER_STATUS, type OrderStatus } from './order-status.ts';
import { ORDERS } from './order-store.ts';
import { assertStatusPermission } from './status-permission.ts';

/** OrderService.SetOrderStatus. Checks the permission for the requested status before it looks up the order. */
export function createSetOrderStatus(options: { readonly database: Database; readonly clock: Clock }) {
  const { database, clock } = options;
  const find = createFindOrder({ database });
  return loadThenCheckReferences(
    async (request: SetOrderStatusRequest, call: Call): Promise<Order> => {
      const status = ORDER_STATUS.nameOf(request.status);
      if (status !== undefined) assertStatusPermission(call, status);
      return find(request, call);
    },
    async (request: SetOrderStatusRequest, call, { tenantId, id }, violations): Promise<SetOrderStatusResponse> => {
      const status = ORDER_STATUS.nameOf(request.status);
      checkPhotos(violations, request, status);
      await checkStagedFiles(violations, database, tenantId, { field: 'photos', files: request.photos }, clock());
      violations.assertNone();
      assertOwnTenant(call, request.tenantId);

      const to = status!;

      const order = await database.transaction(call.deadline, async (tx) => {
        const now = clock();
        const target = { store: ORDERS, tenantId, id, precondition: request.precondition };
        const before = await lockForChange(tx, target, now);
        return transitionOrder(tx, before, {
          to,
          note: request.note,
          by: call.principal!.account.id,
          now,
          photos: request.photos,
        });
      });
      return { order: orderMessage(order) };
    },
  );
}

function checkPhotos(
  violations: RequestViolations,
  { photos }: SetOrderStatusRequest,
  status: OrderStatus | undefined,
): void {
  if (photos.length > 0 && status !== undefined && !isPhotographed(status)) {
    const params = { allowed: Object.keys(PHOTOGRAPHED) };
    violations.add({ message: 'belong to READY and DELIVERED only', format: 'status', props: ['photos'], params });
  }
}
