import type {
  UpdateCustomerRequest,
  UpdateCustomerResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Statements } from '../../db/types.ts';
import { recordFirst } from '../../rpc/service.ts';
import { maskedFields } from '../masked-fields.ts';
import { demandVersion } from '../precondition.ts';
import { demandOwnTenant } from '../tenant.ts';
import type { ChangeCustomer } from './change-customer.ts';
import { customerFields, customerMessage } from './customer-message.ts';
import { assertFoldedLength } from './email-length.ts';
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
      const { customer, updateMask } = request;
      const changes = customerFields(maskedFields(customer!, updateMask!));
      assertFoldedLength(changes.email);
      demandOwnTenant(call, request.tenantId);

      if (updateMask!.length > 0) {
        return { customer: customerMessage(await changeCustomer(call, found, changes, request.precondition)) };
      }
      demandVersion(request.precondition, found.version);
      return { customer: customerMessage(found) };
    },
  );
}
