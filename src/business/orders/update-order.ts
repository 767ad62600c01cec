import type * as proto from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { loadThenCheckReferences } from '../../platform/rpc/service.ts';
import { type ChangeRequest, changeRecord, maskedFields } from '../change-record.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertOwnTenant } from '../../platform/rpc/tenant.ts';
import { createFindOrder } from './read-orders.ts';
import { type OrderFields, hasSameItems, orderFields } from './requested-items.ts';
import { type Order, orderMessage } from './order.ts';
import { assertCanOrder, checkCustomer, checkProducts } from './references.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { CUSTOMERS } from '../customers/customer-store.ts';
import { takeItems } from './order-items.ts';
import { type OrderStatus, isChangeable } from './order-status.ts';
import { ORDERS, replaceItems } from './order-store.ts';

/** OrderService.UpdateOrder. */
export function createUpdateOrder(dependencies: Dependencies) {
  const { database } = dependencies;
  return loadThenCheckReferences(
    createFindOrder(dependencies),
    async (request: proto.UpdateOrderRequest, call, found, violations): Promise<proto.UpdateOrderResponse> => {
      const { order, updateMask = [] } = request;
      const changes = orderFields(violations, maskedFields(order ?? {}, updateMask));
      const { customerId = found.customerId, lines } = changes;
      if (customerId !== found.customerId) await checkCustomer(violations, database, found.tenantId, customerId);
      if (lines && !hasSameItems(lines, found.items)) await checkProducts(violations, database, found.tenantId, lines);
      violations.assertNone();
      assertOwnTenant(call, request.tenantId);

      return { order: orderMessage(await changeOrder(dependencies, call, found, changes, request)) };
    },
  );
}

/**
 * Changes some fields of an order and returns the updated order. Lines that equal the existing items are not a change:
 * the items keep their names and prices, even if the products have changed. Other lines replace all items. Throws
 * NOT_FOUND, PRECONDITION_FAILED, VALIDATION_ERROR, INSUFFICIENT_STOCK, CONFLICT.
 */
async function changeOrder(
  dependencies: Dependencies,
  call: Call,
  found: Order,
  changes: Partial<OrderFields>,
  request: ChangeRequest,
): Promise<Order> {
  const target = { kind: 'orders', store: ORDERS, found } as const;
  return changeRecord(dependencies, call, target, request, async (tx, before, now) => {
    assertEditable(before.status, changes);
    const { lines, ...details } = changes;
    const order = { ...before, ...details };
    const { tenantId, customerId } = order;
    if (customerId !== before.customerId) assertCanOrder(await CUSTOMERS.find(tx, tenantId, customerId));
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
