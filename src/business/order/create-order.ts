import { CreateOrderRequest, CreateOrderResponse } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { Clock } from '../../clock.ts';
import type { Database, Statements } from '../../db/types.ts';
import { createRequestCheck } from '../../request-check.ts';
import type { Call } from '../../rpc/types.ts';
import { demandOwnTenant, tenantOf } from '../tenant.ts';
import { keyedRequest, type Idempotency } from './idempotency.ts';
import { newFields } from './order-input.ts';
import { orderMessage } from './order-message.ts';
import { demandMayOrder } from './ordering-customer.ts';
import { placeOrder } from './place-order.ts';
import { checkCustomer, checkProducts } from './references.ts';

export interface CreateOrderDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly idempotency: Idempotency;
}

/** OrderService.CreateOrder. */
export function createCreateOrder({ database, clock, idempotency }: CreateOrderDependencies) {
  return async (request: CreateOrderRequest, call: Call): Promise<CreateOrderResponse> => {
    const tenantId = tenantOf(call);
    const accountId = call.principal!.account.id;
    const check = createRequestCheck();
    const { idempotencyKey, ...content } = request;
    const encoded = CreateOrderRequest.encode(content).finish();
    const keyed = keyedRequest(check, { tenantId, accountId }, idempotencyKey, encoded);
    // Before the rest is judged: what the request names may have been deleted since its first answer.
    const answer = keyed && (await idempotency.recall(keyed));
    if (answer) return CreateOrderResponse.decode(answer);

    const fields = newFields(check, request.order);
    const customer = await checkCustomer(check, database, tenantId, fields.customerId);
    await checkProducts(check, database, tenantId, fields.lines);
    check.demandValid('The order cannot be placed like this');
    demandOwnTenant(call, request.tenantId);
    demandMayOrder(customer);

    const place = async (tx: Statements): Promise<CreateOrderResponse> => {
      const order = await placeOrder(tx, { ...fields, tenantId, by: accountId, now: clock() });
      return { order: orderMessage(order) };
    };
    if (!keyed) return database.transaction(call.deadline, place);
    const first = await idempotency.once(call, keyed, async (tx) =>
      CreateOrderResponse.encode(await place(tx)).finish(),
    );
    return CreateOrderResponse.decode(first);
  };
}
