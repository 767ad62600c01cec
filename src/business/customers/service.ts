import { CustomerServiceService } from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import { createChangeCustomer } from './write-customer.ts';
import { createCreateCustomer } from './create-customer.ts';
import { createCreateCustomerNote } from './customer-notes.ts';
import { createFindDuplicateCustomers } from './find-duplicate-customers.ts';
import { createGetCustomer } from './read-customers.ts';
import { createGetCustomerStats } from './customer-orders.ts';
import { createListCustomerNotes } from './list-customer-notes.ts';
import { createListCustomerOrders } from './list-customer-orders.ts';
import { createListCustomers } from './list-customers.ts';
import { createSetCustomerStatus } from './set-customer-status.ts';
import { createUpdateCustomer } from './update-customer.ts';

export interface CustomerDependencies {
  readonly database: Database;
  readonly clock: Clock;
}

export function customerService(options: CustomerDependencies): Service {
  const dependencies = { ...options, changeCustomer: createChangeCustomer(options) };
  return implement(CustomerServiceService, {
    listCustomers: createListCustomers(dependencies),
    getCustomer: createGetCustomer(dependencies),
    createCustomer: createCreateCustomer(dependencies),
    updateCustomer: createUpdateCustomer(dependencies),
    setCustomerStatus: createSetCustomerStatus(dependencies),
    findDuplicateCustomers: createFindDuplicateCustomers(dependencies),
    listCustomerOrders: createListCustomerOrders(dependencies),
    getCustomerStats: createGetCustomerStats(dependencies),
    listCustomerNotes: createListCustomerNotes(dependencies),
    createCustomerNote: createCreateCustomerNote(dependencies),
  });
}
