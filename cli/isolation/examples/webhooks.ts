// Examples of webhooks and their deliveries.
import {
  DeliveryStatus,
  RedeliveredStatus,
  WebhookServiceService,
} from '../../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import { examplesOf } from '../example.ts';
import { WHOLE_PAGE } from '../probe-case.ts';
import type { Records } from '../records.ts';
import { NEW_WEBHOOK } from './values.ts';

const ofWebhook = ({ webhook }: Records) => ({ webhookId: webhook });

export const WEBHOOKS = examplesOf(WebhookServiceService, {
  listWebhooks: () => WHOLE_PAGE,
  createWebhook: () => NEW_WEBHOOK,
  getWebhook: ofWebhook,
  updateWebhook: (records) => ({
    ...ofWebhook(records),
    webhook: { events: [], disabled: true },
    updateMask: ['disabled'],
  }),
  deleteWebhook: ofWebhook,
  rotateWebhookSecret: ofWebhook,
  testWebhook: ofWebhook,
  listWebhookDeliveries: (records) => ({
    ...ofWebhook(records),
    status: DeliveryStatus.DELIVERY_STATUS_UNSPECIFIED,
  }),
  getWebhookDelivery: (records) => ({ ...ofWebhook(records), deliveryId: records.delivery }),
  retryWebhookDelivery: (records) => ({ ...ofWebhook(records), deliveryId: records.delivery }),
  redeliverWebhook: (records) => ({
    ...ofWebhook(records),
    since: new Date(0),
    status: RedeliveredStatus.REDELIVERED_STATUS_FAILED,
  }),
});
