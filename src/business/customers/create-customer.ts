import type * as proto from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { changeCounts } from '../counter-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { newRecord } from '../record-store.ts';
import { assertOwnTenant, tenantOf } from '../../platform/rpc/tenant.ts';
import { assertFoldedLength, customerFields, customerMessage } from './customer.ts';
import { CUSTOMERS } from './customer-store.ts';

/** CustomerService.CreateCustomer. */
export function createCustomerCreation({ database, clock }: Dependencies) {
  return async (request: proto.CreateCustomerRequest, call: Call): Promise<proto.CreateCustomerResponse> => {
    const tenantId = tenantOf(call);
    const fields = customerFields(request.customer!);
    assertFoldedLength(fields.email);
    assertOwnTenant(call, request.tenantId);

    const customer = { ...fields, ...newRecord(tenantId, clock()) };
    await database.transaction(call.deadline, async (tx) => {
      await CUSTOMERS.insert(tx, customer);
      await changeCounts(tx, tenantId, 'customers', [{ status: customer.status, by: 1 }]);
    });
    return { customer: customerMessage(customer) };
  };
}
