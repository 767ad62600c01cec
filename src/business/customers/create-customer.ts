import type {
  CreateCustomerRequest,
  CreateCustomerResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/db/ids.ts';
import type { Database } from '../../platform/db/types.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { changeCounts } from '../counter-store.ts';
import { assertOwnTenant, tenantOf } from '../tenant.ts';
import { type Customer, assertFoldedLength, customerFields, customerMessage } from './customer.ts';
import { CUSTOMERS } from './customer-store.ts';

/** CustomerService.CreateCustomer. */
export function createCreateCustomer({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
  return async (request: CreateCustomerRequest, call: Call): Promise<CreateCustomerResponse> => {
    const tenantId = tenantOf(call);
    const fields = customerFields(request.customer!);
    assertFoldedLength(fields.email);
    assertOwnTenant(call, request.tenantId);

    const now = clock();
    const customer: Customer = { ...fields, id: newId(), tenantId, createdAt: now, updatedAt: now, version: 1 };
    await database.transaction(call.deadline, async (tx) => {
      await CUSTOMERS.insert(tx, customer);
      await changeCounts(tx, tenantId, 'customers', [{ status: customer.status, by: 1 }]);
    });
    return { customer: customerMessage(customer) };
  };
}
