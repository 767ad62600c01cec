// The RPCs on deliveries of webhooks.
import type {
  GetWebhookDeliveryRequest,
  GetWebhookDeliveryResponse,
  ListWebhookDeliveriesRequest,
  ListWebhookDeliveriesResponse,
  RedeliverWebhookRequest,
  RedeliverWebhookResponse,
  RetryWebhookDeliveryRequest,
  RetryWebhookDeliveryResponse,
  TestWebhookRequest,
  TestWebhookResponse,
  WebhookAttempt,
} from '../../../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { Call } from '../../access/principal.ts';
import type { FollowedRecords } from '../../audit/export/follow-records.ts';
import type { AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';
import type { LoggedAttempt } from '../../delivery/attempts-log.ts';
import { getDelivery, listDeliveries, readAttempts, resendDelivery } from '../../delivery/delivery-messages.ts';
import { findContent, insertDeliveries, restartFailed, resumeQueue } from '../../delivery/outbox.ts';
import { createLoadBodies } from '../delivery-bodies.ts';
import { bodyOf, maskedHeaders, TEST_EVENT } from '../delivery-message.ts';
import { lockWebhook, type Webhook } from '../webhook-store.ts';
import { createFindWebhook } from './webhooks.ts';
import { refusal } from '../../access/refusals.ts';

export interface DeliveryDependencies {
  readonly database: Database;
  readonly records: Pick<FollowedRecords, 'find'>;
  readonly audit: Pick<AuditLog, 'commit'>;
  readonly clock: Clock;
  /** Sends new deliveries soon. */
  readonly lookSoon: () => void;
}

/** Deliveries of a transaction that are sent again. */
const MAX_REDELIVERED = 1_000;

/** The RPCs of WebhookService on deliveries. */
export function deliveryHandlers({ database, records, audit, clock, lookSoon }: DeliveryDependencies) {
  const find = createFindWebhook(database);
  const loadBodies = createLoadBodies(records);

  /** Changes deliveries of an enabled webhook, which are due at once. */
  async function send<T>(
    call: Call,
    { tenantId, id }: Webhook,
    work: (tx: Statements, now: number, record: (event: AuditEvent) => void) => Promise<T>,
  ): Promise<T> {
    const sent = await audit.commit(call, async (tx, record) => {
      await call.recheck(tx);
      const webhook = await lockWebhook(tx, { tenantId, id });
      if (webhook === undefined) throw new ServiceError('NOT_FOUND');
      if (webhook.disabledReason !== undefined) throw refusal('webhookDisabled');
      return work(tx, clock(), record);
    });
    lookSoon();
    return sent;
  }

  async function findOne(request: { readonly webhookId: string; readonly deliveryId: string }, call: Call) {
    const webhook = await find(request, call);
    return { webhook, delivery: await getDelivery(database, webhook, request.deliveryId) };
  }

  return {
    listWebhookDeliveries: loadThenHandle(
      find,
      (request: ListWebhookDeliveriesRequest, call, webhook): Promise<ListWebhookDeliveriesResponse> =>
        listDeliveries(database, webhook, request, call),
    ),

    getWebhookDelivery: loadThenHandle(
      findOne,
      async (
        _request: GetWebhookDeliveryRequest,
        _call,
        { webhook, delivery },
      ): Promise<GetWebhookDeliveryResponse> => {
        const attempts = await readAttempts(database, webhook, delivery.id);
        const content = attempts.length === 0 ? undefined : await findContent(database, webhook, delivery.id);
        const { loaded } = content ? await loadBodies([content]) : { loaded: [] };
        const toMessage = (attempt: LoggedAttempt) => attemptMessage(delivery.id, attempt, loaded[0]?.body);
        return { delivery, attempts: attempts.map(toMessage) };
      },
    ),

    testWebhook: loadThenHandle(
      find,
      async (_request: TestWebhookRequest, call, webhook): Promise<TestWebhookResponse> => ({
        delivery: await send(call, webhook, async (tx, createdAt) => {
          const id = newId();
          const payload = bodyOf(TEST_EVENT, createdAt, { webhookId: webhook.id });
          await resumeQueue(tx, webhook, createdAt);
          await insertDeliveries(tx, [
            { id, receiver: webhook, sequence: 0, event: TEST_EVENT, content: { payload }, createdAt },
          ]);
          return getDelivery(tx, webhook, id);
        }),
      }),
    ),

    retryWebhookDelivery: loadThenHandle(
      findOne,
      async (
        _request: RetryWebhookDeliveryRequest,
        call,
        { webhook, delivery },
      ): Promise<RetryWebhookDeliveryResponse> => ({
        delivery: await send(call, webhook, (tx, now) => resendDelivery(tx, webhook, delivery.id, now)),
      }),
    ),

    redeliverWebhook: loadThenHandle(
      find,
      (request: RedeliverWebhookRequest, call, webhook): Promise<RedeliverWebhookResponse> =>
        send(call, webhook, async (tx, now, record) => {
          const since = request.since!.getTime();
          // The queue first, as the job of deliveries does.
          await resumeQueue(tx, webhook, now);
          const { count, hasMore } = await restartFailed(tx, database, webhook, { since, now, limit: MAX_REDELIVERED });
          if (count > 0)
            record({
              event: 'webhook.redelivered',
              tenantId: webhook.tenantId,
              actorId: call.principal!.account.id,
              details: { webhook: webhook.id, since: new Date(since).toISOString(), deliveries: count },
            });
          return { deliveries: count, hasMore };
        }),
    ),
  };
}

/** Each attempt has sent the same body. */
function attemptMessage(id: string, attempt: LoggedAttempt, requestBody: string | undefined): WebhookAttempt {
  const { at, durationMs, status, body, error } = attempt;
  return {
    at: new Date(at),
    durationMs,
    requestHeaders: JSON.stringify(maskedHeaders({ id, sentAt: at })),
    ...(requestBody !== undefined && { requestBody }),
    ...(status !== undefined && { responseStatus: status }),
    ...(body !== undefined && { responseBody: body }),
    ...(error !== undefined && { error }),
  };
}
