import { CustomerServiceService, CustomerStatus } from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { elsewhere, hidden, probes, nothing, own, type RestCases, rpcCases } from '../probe-case.ts';
import { emailOf } from '../records.ts';

const NEW_CUSTOMER = { name: 'Isolation' };
const STATUS = { status: 'INACTIVE' };
const NOTE = { text: 'Isolation' };
const ofCustomer = probes<{ path: { id: string } }>(hidden(({ customer }) => ({ path: { id: customer } })));

export const CUSTOMER_ROUTES: RestCases = {
  'GET /customers': probes(
    own(() => ({ query: { perPage: '100' } })),
    nothing(({ mark }) => ({ query: { q: mark } })),
  ),
  'POST /customers': probes(elsewhere(({ tenant }) => ({ body: { ...NEW_CUSTOMER, tenantId: tenant } }))),
  'GET /customers/check-duplicate': probes(
    nothing(({ mark }) => ({ query: { email: emailOf(mark) } })),
    nothing(({ phone }) => ({ query: { phone } })),
  ),
  'GET /customers/{id}': ofCustomer,
  'PATCH /customers/{id}': probes(
    hidden(({ customer }) => ({ path: { id: customer }, body: { name: 'Changed' } })),
    elsewhere(({ tenant }, { customer }) => ({ path: { id: customer }, body: { tenantId: tenant } })),
  ),
  'PATCH /customers/{id}/status': probes(
    hidden(({ customer }) => ({ path: { id: customer }, body: STATUS })),
    elsewhere(({ tenant }, { customer }) => ({ path: { id: customer }, body: { ...STATUS, tenantId: tenant } })),
  ),
  'GET /customers/{id}/orders': ofCustomer,
  'GET /customers/{id}/stats': ofCustomer,
  'GET /customers/{id}/notes': ofCustomer,
  'POST /customers/{id}/notes': probes(
    hidden(({ customer }) => ({ path: { id: customer }, body: NOTE })),
    elsewhere(({ tenant }, { customer }) => ({ path: { id: customer }, body: { ...NOTE, tenantId: tenant } })),
  ),
};

const { CUSTOMER_STATUS_INACTIVE: INACTIVE, CUSTOMER_STATUS_UNSPECIFIED: UNSPECIFIED } = CustomerStatus;
const ALL = { sort: '', status: UNSPECIFIED };
const ADDED = { name: 'Isolation', status: UNSPECIFIED };
const RENAMED = { customer: { name: 'Changed', status: UNSPECIFIED }, updateMask: ['name'] };

export const CUSTOMER_RPCS = rpcCases(CustomerServiceService, {
  listCustomers: probes(
    own(() => ({ ...ALL, page: { page: 1, perPage: 100 } })),
    nothing(({ mark }) => ({ ...ALL, query: mark })),
  ),
  getCustomer: probes(hidden(({ customer }) => ({ customerId: customer }))),
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
  listCustomerOrders: probes(hidden(({ customer }) => ({ customerId: customer }))),
  getCustomerStats: probes(hidden(({ customer }) => ({ customerId: customer }))),
  listCustomerNotes: probes(hidden(({ customer }) => ({ customerId: customer }))),
  createCustomerNote: probes(
    hidden(({ customer }) => ({ customerId: customer, ...NOTE })),
    elsewhere(({ tenant }, { customer }) => ({ customerId: customer, ...NOTE, tenantId: tenant })),
  ),
});
