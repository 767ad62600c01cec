import type {
  SetCustomerStatusRequest,
  SetCustomerStatusResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { assertOwnTenant } from '../tenant.ts';
import { customerChanges, customerMessage } from './customer.ts';
import { createFindCustomer } from './existing-customer.ts';
import type { UpdateCustomerDependencies } from './update-customer.ts';

/** CustomerService.SetCustomerStatus: from any status to any. */
export function createSetCustomerStatus({ database, changeCustomer }: UpdateCustomerDependencies) {
  return loadThenHandle(
    createFindCustomer({ database }),
    async (request: SetCustomerStatusRequest, call, found): Promise<SetCustomerStatusResponse> => {
      const { status, tenantId, precondition } = request;
      assertOwnTenant(call, tenantId);
      const changed = await changeCustomer(call, found, customerChanges({ status }), precondition);
      return { customer: customerMessage(changed) };
    },
  );
}
