import { ReferenceDataServiceService } from '../../../proto/gen/authservice/business/v1/reference_data_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import { listOrderStatuses } from './list-order-statuses.ts';
import { listPaymentMethods } from './list-payment-methods.ts';

export function referenceDataService(): Service {
  return implement(ReferenceDataServiceService, { listOrderStatuses, listPaymentMethods });
}
