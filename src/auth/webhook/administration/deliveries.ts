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
import { isId, newId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { Call } from '../../access/principal.ts';
import { bodyOf, TEST_EVENT } from '../delivery-message.ts';
import {
  DELIVERY_ORDER,
  findDelivery,
  insertDeliveries,
  restartDelivery,
  selectDeliveries,
  type Delivery,
} from '../delivery-store.ts';
import { resumeQueue } from '../queue-store.ts';
import { lockWebhook, type Webhook } from '../webhook-store.ts';
import { DELIVERY_STATUS, deliveryMessage } from './messages.ts';
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

  async function findOf(webhook: Webhook, deliveryId: string): Promise<Delivery> {
    const delivery = isId(deliveryId) ? await findDelivery(database, webhook, deliveryId) : undefined;
    if (delivery === undefined) throw new ServiceError('NOT_FOUND');
    return delivery;
  }

  /** Changes deliveries of an enabled webhook, and makes it due without a pause. Returns one of them. */
  async function send(
    call: Call,
    { tenantId, id }: Webhook,
    deliveryId: string,
    work: (tx: Statements, now: number) => Promise<void>,
  ): Promise<{ delivery: ReturnType<typeof deliveryMessage> }> {
    const delivery = await database.transaction(call.deadline, async (tx) => {
      await call.recheck(tx);
      const webhook = await lockWebhook(tx, { tenantId, id });
      if (webhook === undefined) throw new ServiceError('NOT_FOUND');
      if (webhook.disabledReason !== undefined)
        throw new ServiceError('CONFLICT', { publicMessage: 'The webhook is disabled; enable it first' });
      const now = clock();
      await work(tx, now);
      await resumeQueue(tx, webhook, now);
      return findDelivery(tx, webhook, deliveryId);
    });
    if (delivery === undefined) throw new ServiceError('NOT_FOUND');
    lookSoon();
    return { delivery: deliveryMessage(delivery) };
  }

  return {
    listWebhookDeliveries: loadThenHandle(
      find,
      async (request: ListWebhookDeliveriesRequest, call, webhook): Promise<ListWebhookDeliveriesResponse> => {
        const page = listPageOf(request, call, DELIVERY_ORDER);
        const found = await selectDeliveries(database, webhook, DELIVERY_STATUS.nameOf(request.status), page);
        return { deliveries: found.items.map(deliveryMessage), page: listPageInfo(page, found) };
      },
    ),

    testWebhook: loadThenHandle(
      find,
      async (_request: TestWebhookRequest, call, webhook): Promise<TestWebhookResponse> => {
        const id = newId();
        return send(call, webhook, id, async (tx, createdAt) => {
          const payload = bodyOf(TEST_EVENT, createdAt, { webhookId: webhook.id });
          await insertDeliveries(tx, [
            { id, webhook, sequence: 0, event: TEST_EVENT, content: { payload }, createdAt },
          ]);
        });
      },
    ),

    retryWebhookDelivery: loadThenHandle(
      async (request: RetryWebhookDeliveryRequest, call: Call) => {
        const webhook = await find(request, call);
        return { webhook, delivery: await findOf(webhook, request.deliveryId) };
      },
      async (_request, call, { webhook, delivery }): Promise<RetryWebhookDeliveryResponse> =>
        send(call, webhook, delivery.id, (tx, now) => restartDelivery(tx, webhook, delivery.id, now)),
    ),
  };
}
