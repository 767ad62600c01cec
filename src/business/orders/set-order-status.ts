import type * as proto from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { RequestViolations } from '../../platform/rpc/request-violations.ts';
import { loadThenCheckReferences } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { Dependencies } from '../dependencies.ts';
import { lockForChange } from '../change-record.ts';
import { checkStagedFiles } from '../files/attachments.ts';
import { assertOwnTenant } from '../../platform/rpc/tenant.ts';
import { createFindOrder } from './read-orders.ts';
import { PHOTOGRAPHED, isPhotographed, transitionOrder } from './transition-order.ts';
import { type Order, orderMessage } from './order.ts';
import { ORDER_STATUS, type OrderStatus } from './order-status.ts';
import { ORDERS } from './order-store.ts';
import { Permission } from '../../../proto/gen/authservice/access/v1/access.ts';
import { ServiceError } from '../../platform/errors.ts';

/** OrderService.SetOrderStatus. Checks the permission for the requested status before it looks up the order. */
export function createSetOrderStatus({ database, clock }: Dependencies) {
  const find = createFindOrder({ database });
  return loadThenCheckReferences(
    async (request: proto.SetOrderStatusRequest, call: Call): Promise<Order> => {
      const status = ORDER_STATUS.nameOf(request.status);
      if (status !== undefined) assertStatusPermission(call, status);
      return find(request, call);
    },
    async (
      request: proto.SetOrderStatusRequest,
      call,
      { tenantId, id },
      violations,
    ): Promise<proto.SetOrderStatusResponse> => {
      const status = ORDER_STATUS.nameOf(request.status);
      checkPhotos(violations, request, status);
      await checkStagedFiles(violations, database, tenantId, { field: 'photos', files: request.photos }, clock());
      violations.assertNone();
      assertOwnTenant(call, request.tenantId);

      const { note, photos, precondition } = request;
      const by = call.principal!.account.id;
      const order = await database.transaction(call.deadline, async (tx) => {
        const now = clock();
        const before = await lockForChange(tx, { store: ORDERS, tenantId, id, precondition }, now);
        return transitionOrder(tx, before, { to: status!, note, by, now, photos });
      });
      return { order: orderMessage(order) };
    },
  );
}

function checkPhotos(
  violations: RequestViolations,
  { photos }: proto.SetOrderStatusRequest,
  status: OrderStatus | undefined,
): void {
  if (photos.length > 0 && status !== undefined && !isPhotographed(status)) {
    const params = { allowed: Object.keys(PHOTOGRAPHED) };
    violations.add({ message: 'belong to READY and DELIVERED only', format: 'status', props: ['photos'], params });
  }
}

const { PERMISSION_WRITE_ORDERS, PERMISSION_PRODUCE_ORDERS, PERMISSION_DELIVER_ORDERS } = Permission;
const SELLERS = [PERMISSION_WRITE_ORDERS];
const MAKERS = [PERMISSION_WRITE_ORDERS, PERMISSION_PRODUCE_ORDERS];
const CARRIERS = [PERMISSION_WRITE_ORDERS, PERMISSION_DELIVER_ORDERS];

/** The permissions of which one is needed to set each status. */
const NEEDED: Readonly<Record<OrderStatus, readonly Permission[]>> = {
  NEW: SELLERS,
  CONFIRMED: SELLERS,
  IN_PRODUCTION: MAKERS,
  READY: MAKERS,
  OUT_FOR_DELIVERY: CARRIERS,
  DELIVERED: CARRIERS,
  COMPLETED: SELLERS,
  CANCELLED: SELLERS,
};

/** Throws PERMISSION_DENIED if the caller may not set this status. */
function assertStatusPermission({ principal }: Call, status: OrderStatus): void {
  if (NEEDED[status].some((permission) => principal!.permissions.has(permission))) return;
  throw new ServiceError('PERMISSION_DENIED', { detail: `the account may not move orders to ${status}` });
}
