import {
  DeliveryStatus as DeliveryStatusMessage,
  DisabledReason as DisabledReasonMessage,
  type Webhook as WebhookMessage,
  type WebhookDelivery as WebhookDeliveryMessage,
} from '../../../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import { enumNames } from '../../../platform/formats/enum-names.ts';
import type { Delivery } from '../delivery-store.ts';
import type { Webhook } from '../webhook-store.ts';

const DISABLED_REASON = enumNames(DisabledReasonMessage, 'DISABLED_REASON_');
export const DELIVERY_STATUS = enumNames(DeliveryStatusMessage, 'DELIVERY_STATUS_');

export function webhookMessage(webhook: Webhook): WebhookMessage {
  const { id, tenantId, url, events, disabledReason, createdAt, updatedAt, version } = webhook;
  return {
    id,
    ...(tenantId !== undefined && { tenantId }),
    url,
    events: [...events],
    disabled: disabledReason !== undefined,
    disabledReason: DISABLED_REASON.valueOf(disabledReason),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    version,
  };
}

export function deliveryMessage(delivery: Delivery): WebhookDeliveryMessage {
  const { id, event, recordId, status, attempts, createdAt, attemptAt, nextAt, responseStatus, error } = delivery;
  return {
    id,
    event,
    ...(recordId !== undefined && { recordId }),
    status: DELIVERY_STATUS.valueOf(status),
    attempts,
    createdAt: new Date(createdAt),
    ...(attemptAt !== undefined && { lastAttemptAt: new Date(attemptAt) }),
    ...(nextAt !== undefined && { nextAttemptAt: new Date(nextAt) }),
    ...(responseStatus !== undefined && { responseStatus }),
    ...(error !== undefined && { error }),
  };
}
