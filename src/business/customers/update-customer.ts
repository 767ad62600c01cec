import type {
  SetCustomerStatusRequest,
  SetCustomerStatusResponse,
  UpdateCustomerRequest,
  UpdateCustomerResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Database } from '../../platform/db/types.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { assertVersion, lockForChange, maskedFields } from '../change-record.ts';
import { assertOwnTenant } from '../tenant.ts';
import {
  type Customer,
  type CustomerFields,
  assertFoldedLength,
  customerChanges,
  customerMessage,
} from './customer.ts';
import { createFindCustomer } from './read-customers.ts';
import type { Precondition } from '../../../proto/gen/authservice/business/v1/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { changeCounts } from '../counter-store.ts';
import { CUSTOMERS } from './customer-store.ts';

interface Dependencies {
  readonly database: Database;
  readonly clock: Clock;
}

/** CustomerService.UpdateCustomer. */
export function createUpdateCustomer(dependencies: Dependencies) {
  return loadThenHandle(
    createFindCustomer(dependencies),
    async (request: UpdateCustomerRequest, call, found): Promise<UpdateCustomerResponse> => {
      const { customer, updateMask } = request;
      const changes = customerChanges(maskedFields(customer!, updateMask!));
      assertFoldedLength(changes.email);
      assertOwnTenant(call, request.tenantId);

      if (updateMask!.length > 0) {
        const changed = await changeCustomer(dependencies, call, found, changes, request.precondition);
        return { customer: customerMessage(changed) };
      }
      assertVersion(request.precondition, found.version);
      return { customer: customerMessage(found) };
    },
  );
}

/** CustomerService.SetCustomerStatus: from any status to any. */
export function createSetCustomerStatus(dependencies: Dependencies) {
  return loadThenHandle(
    createFindCustomer(dependencies),
    async (request: SetCustomerStatusRequest, call, found): Promise<SetCustomerStatusResponse> => {
      const { status, tenantId, precondition } = request;
      assertOwnTenant(call, tenantId);
      const changed = await changeCustomer(dependencies, call, found, customerChanges({ status }), precondition);
      return { customer: customerMessage(changed) };
    },
  );
}

/** Changes some fields of a customer and returns the updated customer. Throws NOT_FOUND, PRECONDITION_FAILED. */
async function changeCustomer(
  { database, clock }: Dependencies,
  call: Call,
  { tenantId, id }: Customer,
  changes: Partial<CustomerFields>,
  precondition: Precondition | undefined,
): Promise<Customer> {
  return database.transaction(call.deadline, async (tx) => {
    const before = await lockForChange(tx, { store: CUSTOMERS, tenantId, id, precondition }, clock());
    const customer = { ...before, ...changes };
    await CUSTOMERS.update(tx, customer);
    if (customer.status !== before.status) {
      await changeCounts(tx, tenantId, 'customers', [
        { status: before.status, by: -1 },
        { status: customer.status, by: 1 },
      ]);
    }
    return customer;
  });
}
