import type * as proto from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { type ChangeRequest, changeRecord, maskedFields } from '../change-record.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertOwnTenant } from '../tenant.ts';
import {
  type Customer,
  type CustomerFields,
  assertFoldedLength,
  customerChanges,
  customerMessage,
} from './customer.ts';
import { createFindCustomer } from './read-customers.ts';
import { CUSTOMERS } from './customer-store.ts';
import type { Call } from '../../platform/rpc/types.ts';

/** CustomerService.UpdateCustomer. */
export function createUpdateCustomer(dependencies: Dependencies) {
  return loadThenHandle(
    createFindCustomer(dependencies),
    async (request: proto.UpdateCustomerRequest, call, found): Promise<proto.UpdateCustomerResponse> => {
      const { customer, updateMask } = request;
      const changes = customerChanges(maskedFields(customer!, updateMask!));
      assertFoldedLength(changes.email);
      assertOwnTenant(call, request.tenantId);

      return { customer: customerMessage(await changeCustomer(dependencies, call, found, changes, request)) };
    },
  );
}

/** CustomerService.SetCustomerStatus: from any status to any. */
export function createSetCustomerStatus(dependencies: Dependencies) {
  return loadThenHandle(
    createFindCustomer(dependencies),
    async (request: proto.SetCustomerStatusRequest, call, found): Promise<proto.SetCustomerStatusResponse> => {
      assertOwnTenant(call, request.tenantId);
      const changes = customerChanges({ status: request.status });
      return { customer: customerMessage(await changeCustomer(dependencies, call, found, changes, request)) };
    },
  );
}

/** Changes some fields of a customer and returns the updated customer. Throws NOT_FOUND, PRECONDITION_FAILED. */
async function changeCustomer(
  dependencies: Dependencies,
  call: Call,
  found: Customer,
  changes: Partial<CustomerFields>,
  request: ChangeRequest,
): Promise<Customer> {
  const target = { kind: 'customers', store: CUSTOMERS, found } as const;
  return changeRecord(dependencies, call, target, request, async (tx, before) => {
    const customer = { ...before, ...changes };
    await CUSTOMERS.update(tx, customer);
    return customer;
  });
}
