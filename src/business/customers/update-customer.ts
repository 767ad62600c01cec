import type * as proto from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { type ChangeRequest, changeRecord, maskedFields } from '../change-record.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertOwnTenant } from '../../platform/rpc/tenant.ts';
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

/** CustomerService.UpdateCustomer and SetCustomerStatus: from any status to any. */
export function customerUpdates(dependencies: Dependencies) {
  const find = createFindCustomer(dependencies);

  /** Changes some fields of a customer and returns the updated customer. Throws NOT_FOUND, PRECONDITION_FAILED. */
  async function change(
    call: Call,
    found: Customer,
    changes: Partial<CustomerFields>,
    request: ChangeRequest,
  ): Promise<{ readonly customer: proto.Customer }> {
    const target = { kind: 'customers', store: CUSTOMERS, found } as const;
    const changed = await changeRecord(dependencies, call, target, request, async (tx, before) => {
      const customer = { ...before, ...changes };
      await CUSTOMERS.update(tx, customer);
      return customer;
    });
    return { customer: customerMessage(changed) };
  }

  return {
    updateCustomer: loadThenHandle(
      find,
      async (request: proto.UpdateCustomerRequest, call, found): Promise<proto.UpdateCustomerResponse> => {
        const changes = customerChanges(maskedFields(request.customer!, request.updateMask!));
        assertFoldedLength(changes.email);
        assertOwnTenant(call, request.tenantId);
        return change(call, found, changes, request);
      },
    ),
    setCustomerStatus: loadThenHandle(
      find,
      async (request: proto.SetCustomerStatusRequest, call, found): Promise<proto.SetCustomerStatusResponse> => {
        assertOwnTenant(call, request.tenantId);
        return change(call, found, customerChanges({ status: request.status }), request);
      },
    ),
  };
}
