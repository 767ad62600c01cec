import type {
  GetCustomerRequest,
  GetCustomerResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Statements } from '../../platform/db/types.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { customerMessage } from './customer.ts';
import { createFindCustomer } from './existing-customer.ts';

/** CustomerService.GetCustomer. */
export function createGetCustomer(dependencies: { readonly database: Statements }) {
  return loadThenHandle(
    createFindCustomer(dependencies),
    async (_request: GetCustomerRequest, _call, customer): Promise<GetCustomerResponse> => ({
      customer: customerMessage(customer),
    }),
  );
}
