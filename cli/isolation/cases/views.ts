// What shows a tenant's figures, and what is the same for all tenants.
import { DashboardServiceService } from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { ReferenceDataServiceService } from '../../../proto/gen/authservice/business/v1/reference_data_service.ts';
import { line, own } from '../line.ts';
import type { RestLines } from '../rest-request.ts';
import { rpcLines } from '../rpc-line.ts';

const list = line<{ query: { perPage: string } }>(own(() => ({ query: { perPage: '100' } })));

export const VIEW_ROUTES: RestLines = {
  'GET /dashboard/stats': line(own(() => ({}))),
  'GET /dashboard/recent-orders': list,
  'GET /dashboard/inventory-alerts': list,
  'GET /dashboard/notifications': list,
  'GET /reference-data/order-statuses': list,
  'GET /reference-data/payment-methods': list,
};

const WHOLE_PAGE = { page: { page: 1, perPage: 100 } };

export const DASHBOARD_RPCS = rpcLines(DashboardServiceService, {
  getDashboardStats: line(own(() => ({}))),
  listRecentOrders: line(own(() => WHOLE_PAGE)),
  listInventoryAlerts: line(own(() => WHOLE_PAGE)),
  listNotifications: line(own(() => WHOLE_PAGE)),
});

export const REFERENCE_DATA_RPCS = rpcLines(ReferenceDataServiceService, {
  listOrderStatuses: line(own(() => WHOLE_PAGE)),
  listPaymentMethods: line(own(() => WHOLE_PAGE)),
});
