// Examples of the dashboard and of reference data.
import { DashboardServiceService } from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { ReferenceDataServiceService } from '../../../proto/gen/authservice/business/v1/reference_data_service.ts';
import { examplesOf } from '../example.ts';
import { WHOLE_PAGE } from '../probe-case.ts';

const wholePage = () => WHOLE_PAGE;

export const DASHBOARD = examplesOf(DashboardServiceService, {
  getDashboardStats: () => ({}),
  listRecentOrders: wholePage,
  listInventoryAlerts: wholePage,
  listNotifications: wholePage,
});

export const REFERENCE_DATA = examplesOf(ReferenceDataServiceService, {
  listOrderStatuses: wholePage,
  listPaymentMethods: wholePage,
});
