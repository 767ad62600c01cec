import { isId } from '../../platform/db/ids.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { tenantOf } from '../tenant.ts';
import type { Customer } from './customer.ts';
import { CUSTOMERS } from './customer-store.ts';

/** Finds the customer that a request names, within the caller's tenant. Throws NOT_FOUND. */
export function createFindCustomer({ database }: { readonly database: Statements }) {
  return async ({ customerId }: { readonly customerId: string }, call: Call): Promise<Customer> => {
    const tenantId = tenantOf(call);
    const customer = isId(customerId) ? await CUSTOMERS.find(database, tenantId, customerId) : undefined;
    if (!customer) throw new ServiceError('NOT_FOUND');
    return customer;
  };
}
