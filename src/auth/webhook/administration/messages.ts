import {
  DisabledReason as DisabledReasonMessage,
  type Webhook as WebhookMessage,
} from '../../../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import { enumNames } from '../../../platform/formats/enum-names.ts';
import type { ReceiverState } from '../../delivery/outbox.ts';
import type { Webhook } from '../webhook-store.ts';

const DISABLED_REASON = enumNames(DisabledReasonMessage, 'DISABLED_REASON_');

export function webhookMessage(webhook: Webhook, state: ReceiverState): WebhookMessage {
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
    ...(state.lastSuccessAt !== undefined && { lastSuccessAt: new Date(state.lastSuccessAt) }),
    ...(state.failingSince !== undefined && { failingSince: new Date(state.failingSince) }),
    waiting: state.waiting,
  };
}
