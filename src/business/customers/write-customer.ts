import type { Precondition } from '../../../proto/gen/authservice/business/v1/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { changeCounts } from '../counter-store.ts';
import { lockForChange } from '../change-record.ts';
import type { Customer, CustomerFields } from './customer.ts';
import { CUSTOMERS } from './customer-store.ts';

/** Changes some fields of a customer and returns the updated customer. Throws NOT_FOUND, PRECONDITION_FAILED. */
export type ChangeCustomer = (
  call: Call,
  customer: Pick<Customer, 'tenantId' | 'id'>,
  changes: Partial<CustomerFields>,
  precondition: Precondition | undefined,
) => Promise<Customer>;

export function createChangeCustomer(options: { readonly database: Database; readonly clock: Clock }): ChangeCustomer {
  const { database, clock } = options;
  return (call, { tenantId, id }, changes, precondition) =>
    database.transaction(call.deadline, async (tx) => {
      const target = { store: CUSTOMERS, tenantId, id, precondition };
      const before = await lockForChange(tx, target, clock());
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
