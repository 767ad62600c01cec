// The cases of all operations. `npm run cli -- isolation` and its test fail if an operation is missing here.
import type { RestCases, RpcCases } from '../probe-case.ts';
import { AUTH_ROUTES, IDENTITY_RPCS, SESSION_RPCS, USER_ROUTES } from './accounts.ts';
import { API_KEY_ROUTES, API_KEY_RPCS, CLIENT_ROUTES, CLIENT_RPCS } from './clients.ts';
import { CUSTOMER_ROUTES, CUSTOMER_RPCS } from './customers.ts';
import { FILE_ROUTES, FILE_RPCS } from './files.ts';
import { ORDER_ROUTES, ORDER_RPCS } from './orders.ts';
import { PRODUCT_ROUTES, PRODUCT_RPCS } from './products.ts';
import { ENVOY_RPCS, HEALTH_ROUTES, HEALTH_RPCS, TENANCY_RPCS, TENANT_ROUTES } from './tenants.ts';
import { DASHBOARD_RPCS, REFERENCE_DATA_RPCS, VIEW_ROUTES } from './views.ts';

export const ROUTES: RestCases = {
  ...AUTH_ROUTES,
  ...TENANT_ROUTES,
  ...USER_ROUTES,
  ...CLIENT_ROUTES,
  ...API_KEY_ROUTES,
  ...PRODUCT_ROUTES,
  ...ORDER_ROUTES,
  ...CUSTOMER_ROUTES,
  ...VIEW_ROUTES,
  ...FILE_ROUTES,
  ...HEALTH_ROUTES,
};

export const RPCS: readonly RpcCases[] = [
  IDENTITY_RPCS,
  SESSION_RPCS,
  TENANCY_RPCS,
  CLIENT_RPCS,
  API_KEY_RPCS,
  PRODUCT_RPCS,
  ORDER_RPCS,
  CUSTOMER_RPCS,
  DASHBOARD_RPCS,
  REFERENCE_DATA_RPCS,
  FILE_RPCS,
  HEALTH_RPCS,
  ENVOY_RPCS,
];
