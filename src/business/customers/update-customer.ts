import type {
  UpdateCustomerRequest,
  UpdateCustomerResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Statements } from '../../platform/db/types.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { maskedFields } from '../masked-fields.ts';
import { assertVersion } from '../precondition.ts';
import { assertOwnTenant } from '../tenant.ts';
import type { ChangeCustomer } from './write-customer.ts';
import { customerChanges, customerMessage } from './customer.ts';
import { assertFoldedLength } from './email-length.ts';
import { createFindCustomer } from './existing-customer.ts';

export interface UpdateCustomerDependencies {
  readonly database: Statements;
  readonly changeCustomer: ChangeCustomer;
}

/** CustomerService.UpdateCustomer. */
export function createUpdateCustomer({ database, changeCustomer }: UpdateCustomerDependencies) {
  return loadThenHandle(
    createFindCustomer({ database }),
    async (request: UpdateCustomerRequest, call, found): Promise<UpdateCustomerResponse> => {
      const { customer, updateMask } = request;
      const changes = customerChanges(maskedFields(customer!, updateMask!));
      assertFoldedLength(changes.email);
      assertOwnTenant(call, request.tenantId);

      if (updateMask!.length > 0) {
        return { customer: customerMessage(await changeCustomer(call, found, changes, request.precondition)) };
      }
      assertVersion(request.precondition, found.version);
      return { customer: customerMessage(found) };
    },
  );
}
