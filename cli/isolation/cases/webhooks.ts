// Cases of webhooks and their deliveries.
import { DeliveryStatus, WebhookServiceService } from '../../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import { elsewhere, hidden, own, probes, rpcCases, WHOLE_PAGE } from '../probe-case.ts';

const OF_WEBHOOK = probes<{ webhookId: string }>(hidden(({ webhook }) => ({ webhookId: webhook })));
const NEW_WEBHOOK = { url: 'https://192.0.2.1/isolation', events: ['role.created'] };

export const WEBHOOK_RPCS = rpcCases(WebhookServiceService, {
  listWebhooks: probes(
    own(() => WHOLE_PAGE),
    elsewhere(({ tenant }) => ({ tenantId: tenant })),
  ),
  createWebhook: probes(elsewhere(({ tenant }) => ({ ...NEW_WEBHOOK, tenantId: tenant }))),
  getWebhook: OF_WEBHOOK,
  updateWebhook: probes(
    hidden(({ webhook }) => ({
      webhookId: webhook,
      webhook: { events: [], disabled: true },
      updateMask: ['disabled'],
    })),
  ),
  deleteWebhook: OF_WEBHOOK,
  rotateWebhookSecret: OF_WEBHOOK,
  testWebhook: OF_WEBHOOK,
  listWebhookDeliveries: probes(
    hidden(({ webhook }) => ({ webhookId: webhook, status: DeliveryStatus.DELIVERY_STATUS_UNSPECIFIED })),
  ),
  retryWebhookDelivery: probes(hidden(({ webhook, delivery }) => ({ webhookId: webhook, deliveryId: delivery }))),
});
