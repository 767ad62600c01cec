import type {
  SetCustomerStatusRequest,
  SetCustomerStatusResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { createRequestCheck } from '../../request-check.ts';
import { recordFirst } from '../../rpc/service.ts';
import { demandOwnTenant } from '../tenant.ts';
import { requiredStatus } from './customer-input.ts';
import { customerMessage } from './customer-message.ts';
import { createFindCustomer } from './existing-customer.ts';
import type { UpdateCustomerDependencies } from './update-customer.ts';

/** CustomerService.SetCustomerStatus: from any status to any. */
export function createSetCustomerStatus({ database, changeCustomer }: UpdateCustomerDependencies) {
  return recordFirst(
    createFindCustomer({ database }),
    async (request: SetCustomerStatusRequest, call, found): Promise<SetCustomerStatusResponse> => {
      const check = createRequestCheck();
      const status = requiredStatus(check, request.status);
      check.demandValid('The customer cannot have this status');
      demandOwnTenant(call, request.tenantId);
      return { customer: customerMessage(await changeCustomer(call, found, { status }, request.precondition)) };
    },
  );
}
