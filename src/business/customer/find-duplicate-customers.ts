import type {
  DuplicateCustomer,
  FindDuplicateCustomersRequest,
  FindDuplicateCustomersResponse,
} from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Statements } from '../../db/types.ts';
import { createRequestCheck } from '../../request-check.ts';
import type { Call } from '../../rpc/types.ts';
import { tenantOf } from '../tenant.ts';
import { emailKey, phoneDigits, type Customer } from './customer.ts';
import { checkEmail, checkPhone } from './customer-input.ts';
import { findDuplicates } from './customer-store.ts';

const MAX_MATCHES = 100;

type Wanted = Pick<Customer, 'email' | 'phone'>;

/** CustomerService.FindDuplicateCustomers. */
export function createFindDuplicateCustomers({ database }: { readonly database: Statements }) {
  return async (request: FindDuplicateCustomersRequest, call: Call): Promise<FindDuplicateCustomersResponse> => {
    const tenantId = tenantOf(call);
    const check = createRequestCheck();
    const wanted: Wanted = { email: checkEmail(check, request.email), phone: checkPhone(check, request.phone) };
    if (request.email === undefined && request.phone === undefined) {
      check.violate({ message: 'an e-mail address or a telephone number is required', format: 'required' });
    }
    check.demandValid('Duplicates cannot be looked for like this');

    const found = await findDuplicates(database, tenantId, wanted, MAX_MATCHES);
    return { matches: found.map((customer) => matchOf(customer, wanted)) };
  };
}

function matchOf({ id, tenantId, name, email, phone }: Customer, wanted: Wanted): DuplicateCustomer {
  const matchedOn = [
    ...(sameKey(emailKey, email, wanted.email) ? ['email'] : []),
    ...(sameKey(phoneDigits, phone, wanted.phone) ? ['phone'] : []),
  ];
  return { id, tenantId, name, email, phone, matchedOn };
}

function sameKey(key: (text: string) => string | Buffer, a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && key(a).toString() === key(b).toString();
}
