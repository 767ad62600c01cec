import { CustomerServiceService, CustomerStatus } from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { elsewhere, hidden, probes, nothing, own, rpcCases, WHOLE_PAGE } from '../probe-case.ts';
import { emailOf } from '../records.ts';

const { CUSTOMER_STATUS_INACTIVE: INACTIVE, CUSTOMER_STATUS_UNSPECIFIED: UNSPECIFIED } = CustomerStatus;
const ALL = { sort: '', status: UNSPECIFIED };
const ADDED = { name: 'Isolation', status: UNSPECIFIED };
const RENAMED = { customer: { name: 'Changed', status: UNSPECIFIED }, updateMask: ['name'] };
const NOTE = { text: 'Isolation' };
const OF_CUSTOMER = probes<{ customerId: string }>(hidden(({ customer }) => ({ customerId: customer })));

export const CUSTOMER_RPCS = rpcCases(CustomerServiceService, {
  listCustomers: probes(
    own(() => ({ ...ALL, ...WHOLE_PAGE })),
    nothing(({ mark }) => ({ ...ALL, query: mark })),
  ),
  getCustomer: OF_CUSTOMER,
  createCustomer: probes(elsewhere(({ tenant }) => ({ customer: ADDED, tenantId: tenant }))),
  updateCustomer: probes(
    hidden(({ customer }) => ({ customerId: customer, ...RENAMED })),
    elsewhere(({ tenant }, { customer }) => ({ customerId: customer, ...RENAMED, tenantId: tenant })),
  ),
  setCustomerStatus: probes(
    hidden(({ customer }) => ({ customerId: customer, status: INACTIVE })),
    elsewhere(({ tenant }, { customer }) => ({ customerId: customer, status: INACTIVE, tenantId: tenant })),
  ),
  findDuplicateCustomers: probes(
    nothing(({ mark }) => ({ email: emailOf(mark) })),
    nothing(({ phone }) => ({ phone })),
  ),
  listCustomerOrders: OF_CUSTOMER,
  getCustomerStats: OF_CUSTOMER,
  listCustomerNotes: OF_CUSTOMER,
  createCustomerNote: probes(
    hidden(({ customer }) => ({ customerId: customer, ...NOTE })),
    elsewhere(({ tenant }, { customer }) => ({ customerId: customer, ...NOTE, tenantId: tenant })),
  ),
});
