// Cases of the dashboard and of reference data.
import { DashboardServiceService } from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { ReferenceDataServiceService } from '../../../proto/gen/authservice/business/v1/reference_data_service.ts';
import { probes, own, rpcCases, WHOLE_PAGE } from '../probe-case.ts';

const LIST = probes<typeof WHOLE_PAGE>(own(() => WHOLE_PAGE));

export const DASHBOARD_RPCS = rpcCases(DashboardServiceService, {
  getDashboardStats: probes(own(() => ({}))),
  listRecentOrders: LIST,
  listInventoryAlerts: LIST,
  listNotifications: LIST,
});

export const REFERENCE_DATA_RPCS = rpcCases(ReferenceDataServiceService, {
  listOrderStatuses: LIST,
  listPaymentMethods: LIST,
});
