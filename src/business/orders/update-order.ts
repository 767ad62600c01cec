import type {
  UpdateOrderRequest,
  UpdateOrderResponse,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { loadThenCheckReferences } from '../../platform/rpc/service.ts';
import { maskedFields } from '../masked-fields.ts';
import { assertVersion } from '../precondition.ts';
import { assertOwnTenant } from '../tenant.ts';
import { createChangeOrder } from './change-order.ts';
import { createFindOrder } from './existing-order.ts';
import { hasSameItems } from './requested-items.ts';
import { orderFields } from './order-input.ts';
import { orderMessage } from './order.ts';
import { checkCustomer, checkProducts } from './references.ts';

/** OrderService.UpdateOrder. */
export function createUpdateOrder(options: { readonly database: Database; readonly clock: Clock }) {
  const { database } = options;
  const changeOrder = createChangeOrder(options);
  return loadThenCheckReferences(
    createFindOrder({ database }),
    async (request: UpdateOrderRequest, call, found, violations): Promise<UpdateOrderResponse> => {
      const { order, updateMask = [] } = request;
      const changes = orderFields(violations, maskedFields(order ?? {}, updateMask));
      const { customerId = found.customerId, lines } = changes;
      if (customerId !== found.customerId) await checkCustomer(violations, database, found.tenantId, customerId);
      if (lines && !hasSameItems(lines, found.items)) await checkProducts(violations, database, found.tenantId, lines);
      violations.assertNone();
      assertOwnTenant(call, request.tenantId);

      if (updateMask.length > 0) {
        return { order: orderMessage(await changeOrder(call, found, changes, request.precondition)) };
      }
      assertVersion(request.precondition, found.version);
      return { order: orderMessage(found) };
    },
  );
}
