// Customers of the shop.
// Decides: which customers are probably the same.
// States: a customer is ACTIVE, INACTIVE or BLOCKED.
// Tables: customer_notes, customers.
// Routes: /customers, /customers/check-duplicate, /customers/:id, /customers/:id/{status, notes, orders, stats}.
import { CustomerServiceService } from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { type Service, implement } from '../../platform/rpc/service.ts';
import type { Dependencies } from '../dependencies.ts';
import { createCustomerCreation } from './create-customer.ts';
import { customerNotes } from './customer-notes.ts';
import { customerOrderReads } from './customer-orders.ts';
import { createFindDuplicateCustomers } from './find-duplicate-customers.ts';
import { customerReads } from './read-customers.ts';
import { customerUpdates } from './update-customer.ts';

export function customerService(dependencies: Dependencies): Service {
  return implement(CustomerServiceService, {
    ...customerReads(dependencies),
    createCustomer: createCustomerCreation(dependencies),
    ...customerUpdates(dependencies),
    findDuplicateCustomers: createFindDuplicateCustomers(dependencies),
    ...customerOrderReads(dependencies),
    ...customerNotes(dependencies),
  });
}
