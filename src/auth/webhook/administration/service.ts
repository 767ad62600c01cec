// The administration of webhooks. The folder above has their deliveries.
import { WebhookServiceService } from '../../../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import { implement, type Service } from '../../../platform/rpc/service.ts';
import type { Principal } from '../../access/principal.ts';
import { deliveryHandlers, type DeliveryDependencies } from './deliveries.ts';
import { webhookHandlers, type WebhookDependencies } from './webhooks.ts';

export function webhookService(dependencies: WebhookDependencies & DeliveryDependencies): Service<Principal> {
  return implement(WebhookServiceService, { ...webhookHandlers(dependencies), ...deliveryHandlers(dependencies) });
}
