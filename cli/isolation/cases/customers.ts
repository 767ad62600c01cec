import { CustomerServiceService, CustomerStatus } from '../../../proto/gen/authservice/business/v1/customer_service.ts';
import { elsewhere, hidden, line, nothing, own } from '../line.ts';
import { emailOf } from '../records.ts';
import type { RestLines } from '../rest-request.ts';
import { rpcLines } from '../rpc-line.ts';

const NEW_CUSTOMER = { name: 'Isolation' };
const STATUS = { status: 'INACTIVE' };
const NOTE = { text: 'Isolation' };
const ofCustomer = line<{ path: { id: string } }>(hidden(({ customer }) => ({ path: { id: customer } })));

export const CUSTOMER_ROUTES: RestLines = {
  'GET /customers': line(
    own(() => ({ query: { perPage: '100' } })),
    nothing(({ mark }) => ({ query: { q: mark } })),
  ),
  'POST /customers': line(elsewhere(({ tenant }) => ({ body: { ...NEW_CUSTOMER, tenantId: tenant } }))),
  'GET /customers/check-duplicate': line(
    nothing(({ mark }) => ({ query: { email: emailOf(mark) } })),
    nothing(({ phone }) => ({ query: { phone } })),
  ),
  'GET /customers/{id}': ofCustomer,
  'PATCH /customers/{id}': line(
    hidden(({ customer }) => ({ path: { id: customer }, body: { name: 'Changed' } })),
    elsewhere(({ tenant }, { customer }) => ({ path: { id: customer }, body: { tenantId: tenant } })),
  ),
  'PATCH /customers/{id}/status': line(
    hidden(({ customer }) => ({ path: { id: customer }, body: STATUS })),
    elsewhere(({ tenant }, { customer }) => ({ path: { id: customer }, body: { ...STATUS, tenantId: tenant } })),
  ),
  'GET /customers/{id}/orders': ofCustomer,
  'GET /customers/{id}/stats': ofCustomer,
  'GET /customers/{id}/notes': ofCustomer,
  'POST /customers/{id}/notes': line(
    hidden(({ customer }) => ({ path: { id: customer }, body: NOTE })),
    elsewhere(({ tenant }, { customer }) => ({ path: { id: customer }, body: { ...NOTE, tenantId: tenant } })),
  ),
};

const { CUSTOMER_STATUS_INACTIVE: INACTIVE, CUSTOMER_STATUS_UNSPECIFIED: UNSPECIFIED } = CustomerStatus;
const ALL = { sort: '', status: UNSPECIFIED };
const ADDED = { name: 'Isolation', status: UNSPECIFIED };
const RENAMED = { customer: { name: 'Changed', status: UNSPECIFIED }, updateMask: ['name'] };

export const CUSTOMER_RPCS = rpcLines(CustomerServiceService, {
  listCustomers: line(
    own(() => ({ ...ALL, page: { page: 1, perPage: 100 } })),
    nothing(({ mark }) => ({ ...ALL, query: mark })),
  ),
  getCustomer: line(hidden(({ customer }) => ({ customerId: customer }))),
  createCustomer: line(elsewhere(({ tenant }) => ({ customer: ADDED, tenantId: tenant }))),
  updateCustomer: line(
    hidden(({ customer }) => ({ customerId: customer, ...RENAMED })),
    elsewhere(({ tenant }, { customer }) => ({ customerId: customer, ...RENAMED, tenantId: tenant })),
  ),
  setCustomerStatus: line(
    hidden(({ customer }) => ({ customerId: customer, status: INACTIVE })),
    elsewhere(({ tenant }, { customer }) => ({ customerId: customer, status: INACTIVE, tenantId: tenant })),
  ),
  findDuplicateCustomers: line(
    nothing(({ mark }) => ({ email: emailOf(mark) })),
    nothing(({ phone }) => ({ phone })),
  ),
  listCustomerOrders: line(hidden(({ customer }) => ({ customerId: customer }))),
  getCustomerStats: line(hidden(({ customer }) => ({ customerId: customer }))),
  listCustomerNotes: line(hidden(({ customer }) => ({ customerId: customer }))),
  createCustomerNote: line(
    hidden(({ customer }) => ({ customerId: customer, ...NOTE })),
    elsewhere(({ tenant }, { customer }) => ({ customerId: customer, ...NOTE, tenantId: tenant })),
  ),
});
