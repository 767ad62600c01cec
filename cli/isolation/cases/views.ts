// Cases of the dashboard and of reference data.
import { DashboardServiceService } from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { ReferenceDataServiceService } from '../../../proto/gen/authservice/business/v1/reference_data_service.ts';
import { probes, own, type RestCases, rpcCases } from '../probe-case.ts';

const list = probes<{ query: { perPage: string } }>(own(() => ({ query: { perPage: '100' } })));

export const VIEW_ROUTES: RestCases = {
  'GET /dashboard/stats': probes(own(() => ({}))),
  'GET /dashboard/recent-orders': list,
  'GET /dashboard/inventory-alerts': list,
  'GET /dashboard/notifications': list,
  'GET /reference-data/order-statuses': list,
  'GET /reference-data/payment-methods': list,
};

const WHOLE_PAGE = { page: { page: 1, perPage: 100 } };

export const DASHBOARD_RPCS = rpcCases(DashboardServiceService, {
  getDashboardStats: probes(own(() => ({}))),
  listRecentOrders: probes(own(() => WHOLE_PAGE)),
  listInventoryAlerts: probes(own(() => WHOLE_PAGE)),
  listNotifications: probes(own(() => WHOLE_PAGE)),
});

export const REFERENCE_DATA_RPCS = rpcCases(ReferenceDataServiceService, {
  listOrderStatuses: probes(own(() => WHOLE_PAGE)),
  listPaymentMethods: probes(own(() => WHOLE_PAGE)),
});
