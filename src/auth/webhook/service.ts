// Webhooks: their administration, and the delivery of events to them.
// Decides: which events a webhook may get, and which failures disable it (`webhook-receiver.ts`).
// A delivery: `fan-out.ts` makes it of a record, and the outbox (src/auth/delivery) sends `delivery-message.ts`.
// States: a webhook is enabled, or disabled by its owner or by failures.
// Tables: webhooks.
// Routes: /webhooks, /webhooks/:id, /webhooks/:id/{rotate-secret, test, redeliver, deliveries},
// /webhooks/:id/deliveries/:deliveryId, /webhooks/:id/deliveries/:deliveryId/retry.
import { WebhookServiceService } from '../../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import { deliveryHandlers, type DeliveryDependencies } from './administration/deliveries.ts';
import { webhookHandlers, type WebhookDependencies } from './administration/webhooks.ts';

export function webhookService(dependencies: WebhookDependencies & DeliveryDependencies): Service<Principal> {
  return implement(WebhookServiceService, { ...webhookHandlers(dependencies), ...deliveryHandlers(dependencies) });
}
