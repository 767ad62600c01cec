// The one table of RPCs: the examples of all services. test/isolation/examples.test.ts names an RPC without one.
import type { ServiceExamples } from '../example.ts';
import { EMAIL, IDENTITY, INVITATION, RECOVERY } from './accounts.ts';
import { APPLICATIONS } from './applications.ts';
import { AUTHORIZATIONS } from './authorizations.ts';
import { API_KEYS, CLIENTS } from './clients.ts';
import { CUSTOMERS } from './customers.ts';
import { FACTORS } from './factors.ts';
import { FILES } from './files.ts';
import { ORDERS } from './orders.ts';
import { PRODUCTS } from './products.ts';
import { KEYS, SESSION } from './sessions.ts';
import { AUDIT, ENVOY, HEALTH, ROLES, TENANCY } from './tenants.ts';
import { DASHBOARD, REFERENCE_DATA } from './views.ts';
import { WEBHOOKS } from './webhooks.ts';

export const EXAMPLES: readonly ServiceExamples[] = [
  IDENTITY,
  RECOVERY,
  EMAIL,
  INVITATION,
  SESSION,
  KEYS,
  FACTORS,
  TENANCY,
  AUDIT,
  ROLES,
  WEBHOOKS,
  APPLICATIONS,
  AUTHORIZATIONS,
  CLIENTS,
  API_KEYS,
  PRODUCTS,
  ORDERS,
  CUSTOMERS,
  DASHBOARD,
  REFERENCE_DATA,
  FILES,
  HEALTH,
  ENVOY,
];
