import type * as proto from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { Reads } from '../dependencies.ts';
import { tenantOf } from '../../platform/rpc/tenant.ts';
import { type Customer, assertFoldedLength, emailKey, phoneDigits } from './customer.ts';
import { findDuplicates } from './customer-store.ts';

const MAX_MATCHES = 100;

type Requested = proto.FindDuplicateCustomersRequest;

/** CustomerService.FindDuplicateCustomers. */
export function createFindDuplicateCustomers({ database }: Reads) {
  return async (request: Requested, call: Call): Promise<proto.FindDuplicateCustomersResponse> => {
    const tenantId = tenantOf(call);
    const { email, phone } = request;
    assertAnyGiven(request);
    assertFoldedLength(email);
    const found = await findDuplicates(database, tenantId, { email, phone }, MAX_MATCHES);
    return { duplicate: found.length > 0, matches: found.map((customer) => matchOf(customer, request)) };
  };
}

function assertAnyGiven({ email, phone }: Requested): void {
  if (email !== undefined || phone !== undefined) return;
  const violations = [{ message: 'an e-mail address or a telephone number is required', format: 'required' }];
  throw new ServiceError('VALIDATION_ERROR', { violations });
}

function matchOf({ id, tenantId, name, email, phone }: Customer, requested: Requested): proto.DuplicateCustomer {
  const isSame = {
    email: sameKey(emailKey, email, requested.email),
    phone: sameKey(phoneDigits, phone, requested.phone),
  };
  const matchedOn = (['email', 'phone'] as const).filter((field) => isSame[field]);
  return { id, tenantId, name, email, phone, matchedOn };
}

function sameKey(key: (text: string) => string | Buffer, a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && key(a).toString() === key(b).toString();
}
