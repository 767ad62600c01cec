import { CreateOrderRequest, CreateOrderResponse } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Statements } from '../../platform/db/types.ts';
import { loadThenCheckReferences } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertOwnTenant, tenantOf } from '../../platform/rpc/tenant.ts';
import { createIdempotency, keyedRequest } from './idempotency.ts';
import { type OrderFields, orderFields } from './requested-items.ts';
import { orderMessage } from './order.ts';
import { assertCanOrder, checkCustomer, checkProducts } from './references.ts';
import { placeOrder } from './place-order.ts';

/** OrderService.CreateOrder. */
export function createOrderCreation({ database, clock }: Dependencies) {
  const idempotency = createIdempotency({ database, clock });
  /**
   * Returns the stored response before validating the rest, because records that the request names may have been
   * deleted since.
   */
  const recall = async ({ idempotencyKey, ...content }: CreateOrderRequest, call: Call) => {
    const owner = { tenantId: tenantOf(call), accountId: call.principal!.account.id };
    const keyed = keyedRequest(owner, idempotencyKey, CreateOrderRequest.encode(content).finish());
    return { keyed, first: keyed && (await idempotency.recall(keyed)) };
  };

  return loadThenCheckReferences(
    recall,
    async (request, call, { keyed, first }, violations): Promise<CreateOrderResponse> => {
      if (first) return CreateOrderResponse.decode(first);
      const tenantId = tenantOf(call);
      const fields = orderFields(violations, request.order!) as OrderFields;
      const customer = await checkCustomer(violations, database, tenantId, fields.customerId);
      await checkProducts(violations, database, tenantId, fields.lines);
      violations.assertNone();
      assertOwnTenant(call, request.tenantId);
      assertCanOrder(customer);

      const place = async (tx: Statements): Promise<CreateOrderResponse> => {
        const by = call.principal!.account.id;
        const order = await placeOrder(tx, { ...fields, tenantId, by, now: clock() });
        return { order: orderMessage(order) };
      };
      if (!keyed) return database.transaction(call.deadline, place);
      const response = await idempotency.once(call, keyed, async (tx) =>
        CreateOrderResponse.encode(await place(tx)).finish(),
      );
      return CreateOrderResponse.decode(response);
    },
  );
}
