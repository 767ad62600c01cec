import type {
  UpdateCustomerRequest,
  UpdateCustomerResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Statements } from '../../db/types.ts';
import { createRequestCheck } from '../../request-check.ts';
import { recordFirst } from '../../rpc/service.ts';
import { demandVersion } from '../precondition.ts';
import { demandOwnTenant } from '../tenant.ts';
import { updateMaskOf } from '../update-mask.ts';
import type { ChangeCustomer } from './change-customer.ts';
import { changedFields, CUSTOMER_FIELDS } from './customer-input.ts';
import { customerMessage } from './customer-message.ts';
import { createFindCustomer } from './existing-customer.ts';

export interface UpdateCustomerDependencies {
  readonly database: Statements;
  readonly changeCustomer: ChangeCustomer;
}

/** CustomerService.UpdateCustomer. */
export function createUpdateCustomer({ database, changeCustomer }: UpdateCustomerDependencies) {
  return recordFirst(
    createFindCustomer({ database }),
    async (request: UpdateCustomerRequest, call, found): Promise<UpdateCustomerResponse> => {
      const check = createRequestCheck();
      const meant = updateMaskOf(check, request.updateMask, CUSTOMER_FIELDS);
      const changes = changedFields(check, request.customer, meant);
      check.demandValid('The customer cannot be changed like this');
      demandOwnTenant(call, request.tenantId);

      if (meant.size > 0) {
        return { customer: customerMessage(await changeCustomer(call, found, changes, request.precondition)) };
      }
      demandVersion(request.precondition, found.version);
      return { customer: customerMessage(found) };
    },
  );
}
