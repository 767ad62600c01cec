import { CustomerServiceService } from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { type Service, implement } from '../../platform/rpc/service.ts';
import type { Dependencies } from '../dependencies.ts';
import { createSetCustomerStatus, createUpdateCustomer } from './update-customer.ts';
import { createCreateCustomer } from './create-customer.ts';
import { createCreateCustomerNote, createListCustomerNotes } from './customer-notes.ts';
import { createFindDuplicateCustomers } from './find-duplicate-customers.ts';
import { createGetCustomer, createListCustomers } from './read-customers.ts';
import { createGetCustomerStats, createListCustomerOrders } from './customer-orders.ts';

export function customerService(dependencies: Dependencies): Service {
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
