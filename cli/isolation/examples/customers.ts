import { CustomerServiceService, CustomerStatus } from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { examplesOf } from '../example.ts';
import { WHOLE_PAGE } from '../probe-case.ts';
import { emailOf, type Records } from '../records.ts';

const { CUSTOMER_STATUS_INACTIVE: INACTIVE, CUSTOMER_STATUS_UNSPECIFIED: UNSPECIFIED } = CustomerStatus;
const ofCustomer = ({ customer }: Records) => ({ customerId: customer });

export const CUSTOMERS = examplesOf(CustomerServiceService, {
  listCustomers: () => ({ ...WHOLE_PAGE, sort: '', status: UNSPECIFIED }),
  getCustomer: ofCustomer,
  createCustomer: () => ({ customer: { name: 'Isolation', status: UNSPECIFIED } }),
  updateCustomer: (records) => ({
    ...ofCustomer(records),
    customer: { name: 'Changed', status: UNSPECIFIED },
    updateMask: ['name'],
  }),
  setCustomerStatus: (records) => ({ ...ofCustomer(records), status: INACTIVE }),
  findDuplicateCustomers: {
    request: ({ mark }) => ({ email: emailOf(mark) }),
    filters: [({ phone }) => ({ email: undefined, phone })],
  },
  listCustomerOrders: ofCustomer,
  getCustomerStats: ofCustomer,
  listCustomerNotes: ofCustomer,
  createCustomerNote: (records) => ({ ...ofCustomer(records), text: 'Isolation' }),
});
