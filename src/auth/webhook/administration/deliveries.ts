// The RPCs on deliveries of webhooks.
import type {
  ListWebhookDeliveriesRequest,
  ListWebhookDeliveriesResponse,
  RetryWebhookDeliveryRequest,
  RetryWebhookDeliveryResponse,
  TestWebhookRequest,
  TestWebhookResponse,
} from '../../../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { Call } from '../../access/principal.ts';
import { getDelivery, listDeliveries, resendDelivery } from '../../delivery/delivery-messages.ts';
import { insertDeliveries, resumeQueue } from '../../delivery/outbox.ts';
import { bodyOf, TEST_EVENT } from '../delivery-message.ts';
import { lockWebhook, type Webhook } from '../webhook-store.ts';
import { createFindWebhook } from './webhooks.ts';

export interface DeliveryDependencies {
  readonly database: Database;
  readonly clock: Clock;
  /** Sends new deliveries soon. */
  readonly lookSoon: () => void;
}

/** The RPCs of WebhookService on deliveries. */
export function deliveryHandlers({ database, clock, lookSoon }: DeliveryDependencies) {
  const find = createFindWebhook(database);

  /** Changes a delivery of an enabled webhook, which is due at once. */
  async function send<T>(
    call: Call,
    { tenantId, id }: Webhook,
    work: (tx: Statements, now: number) => Promise<T>,
  ): Promise<{ delivery: T }> {
    const delivery = await database.transaction(call.deadline, async (tx) => {
      await call.recheck(tx);
      const webhook = await lockWebhook(tx, { tenantId, id });
      if (webhook === undefined) throw new ServiceError('NOT_FOUND');
      if (webhook.disabledReason !== undefined)
        throw new ServiceError('CONFLICT', { publicMessage: 'The webhook is disabled; enable it first' });
      return work(tx, clock());
    });
    lookSoon();
    return { delivery };
  }

  return {
    listWebhookDeliveries: loadThenHandle(
      find,
      (request: ListWebhookDeliveriesRequest, call, webhook): Promise<ListWebhookDeliveriesResponse> =>
        listDeliveries(database, webhook, request, call),
    ),

    testWebhook: loadThenHandle(find, (_request: TestWebhookRequest, call, webhook): Promise<TestWebhookResponse> =>
      send(call, webhook, async (tx, createdAt) => {
        const id = newId();
        const payload = bodyOf(TEST_EVENT, createdAt, { webhookId: webhook.id });
        await resumeQueue(tx, webhook, createdAt);
        await insertDeliveries(tx, [
          { id, receiver: webhook, sequence: 0, event: TEST_EVENT, content: { payload }, createdAt },
        ]);
        return getDelivery(tx, webhook, id);
      }),
    ),

    retryWebhookDelivery: loadThenHandle(
      async (request: RetryWebhookDeliveryRequest, call: Call) => {
        const webhook = await find(request, call);
        return { webhook, delivery: await getDelivery(database, webhook, request.deliveryId) };
      },
      (_request, call, { webhook, delivery }): Promise<RetryWebhookDeliveryResponse> =>
        send(call, webhook, (tx, now) => resendDelivery(tx, webhook, delivery.id, now)),
    ),
  };
}
