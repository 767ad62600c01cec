import { Permission } from '../../../proto/gen/authservice/access/v1/access.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { OrderStatus } from './order-status.ts';

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
export function assertStatusPermission({ principal }: Call, status: OrderStatus): void {
  if (NEEDED[status].some((permission) => principal!.permissions.has(permission))) return;
  throw new ServiceError('PERMISSION_DENIED', { detail: `the account may not move orders to ${status}` });
}
