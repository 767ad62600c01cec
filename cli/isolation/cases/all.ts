// The cases of all operations. `npm run cli -- isolation` and its test fail if an operation is missing here.
import { declaredRoutes } from '../declared-routes.ts';
import type { RestCases, RpcCases } from '../probe-case.ts';
import { AUTH_ROUTES, EMAIL_RPCS, IDENTITY_RPCS, INVITATION_RPCS, RECOVERY_RPCS, SESSION_RPCS } from './accounts.ts';
import { API_KEY_RPCS, CLIENT_ROUTES, CLIENT_RPCS } from './clients.ts';
import { FACTOR_RPCS } from './factors.ts';
import { CUSTOMER_RPCS } from './customers.ts';
import { FILE_ROUTES, FILE_RPCS } from './files.ts';
import { ORDER_RPCS } from './orders.ts';
import { PRODUCT_RPCS } from './products.ts';
import { AUDIT_ROUTES, ENVOY_RPCS, HEALTH_ROUTES, HEALTH_RPCS, ROLE_RPCS, TENANCY_RPCS } from './tenants.ts';
import { DASHBOARD_RPCS, REFERENCE_DATA_RPCS } from './views.ts';
import { WEBHOOK_RPCS } from './webhooks.ts';

export const RPCS: readonly RpcCases[] = [
  IDENTITY_RPCS,
  RECOVERY_RPCS,
  EMAIL_RPCS,
  INVITATION_RPCS,
  SESSION_RPCS,
  FACTOR_RPCS,
  TENANCY_RPCS,
  ROLE_RPCS,
  WEBHOOK_RPCS,
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

/** The cases of the routes that the protos declare, and of those that are written by hand. */
export const ROUTES: RestCases = {
  ...declaredRoutes(RPCS),
  ...AUTH_ROUTES,
  ...CLIENT_ROUTES,
  ...AUDIT_ROUTES,
  ...FILE_ROUTES,
  ...HEALTH_ROUTES,
};
