// A webhook as a receiver of deliveries: what it gets, and which failures disable it.
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import type { FollowedRecords } from '../audit/export/follow-records.ts';
import { failuresWithin, type RetryRules } from '../delivery/decide-attempt.ts';
import { hasBacklog } from '../delivery/outbox.ts';
import type { BatchResult, Receiver, ReceiverAddress, ReceiverChange } from '../delivery/receiver.ts';
import { createLoadBodies } from './delivery-bodies.ts';
import { requestHeaders } from './delivery-message.ts';
import type { WebhookSecretCipher } from './webhook-secrets.ts';
import { findTarget, lockWebhook, updateWebhook, type DisabledReason } from './webhook-store.ts';

export interface WebhookReceiverOptions {
  readonly database: Database;
  readonly records: Pick<FollowedRecords, 'find'>;
  readonly secrets: WebhookSecretCipher;
  readonly clock: Clock;
  /** A webhook with more deliveries that wait is disabled. For tests. */
  readonly maxWaiting?: number;
}

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];
/** The pauses after failed attempts of a delivery (Standard Webhooks 1.0, "Deliverability and reliability"). */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const RETRIES: RetryRules = { pauses: PAUSES_MS, final: { 410: 'gone' } };
/** Failures of a webhook without a success in the time in which all attempts of one delivery fail. */
const MAX_FAILURES = failuresWithin(PAUSES_MS.reduce((sum, pause) => sum + pause));
const MAX_WAITING = 100_000;

/** Returns a function that finds a webhook with what its deliveries need. */
export function createFindWebhookReceiver(options: WebhookReceiverOptions) {
  const { database, records, secrets, clock, maxWaiting = MAX_WAITING } = options;
  const load = createLoadBodies(records);

  return async (address: ReceiverAddress): Promise<Receiver | undefined> => {
    const webhook = await findTarget(database, address);
    if (!webhook) return undefined;
    const { url, disabledReason, isSuspended } = webhook;
    return {
      kind: 'webhook',
      url,
      state: disabledReason !== undefined ? 'closed' : isSuspended ? 'held-back' : 'open',
      retries: RETRIES,
      keepsAttempts: true,
      load,
      async prepare({ id }, text, attemptAt) {
        const body = Buffer.from(text);
        const signing = secrets.open(address.id, webhook.secrets, attemptAt);
        return { headers: requestHeaders(signing, { id, sentAt: attemptAt, body }), body };
      },
      async afterBatch(result) {
        const reason = await disablingReason(address, result);
        return reason && disable(address, url, reason);
      },
      isOpenIn: async (tx) => {
        const now = await findTarget(tx, address);
        return now !== undefined && now.disabledReason === undefined;
      },
    };
  };

  async function disablingReason(
    address: ReceiverAddress,
    { verdicts, failures, isStuck }: BatchResult,
  ): Promise<DisabledReason | undefined> {
    if (verdicts.has('gone')) return 'GONE';
    if (verdicts.has('exhausted') || failures >= MAX_FAILURES) return 'FAILING';
    return isStuck && (await hasBacklog(database, address, maxWaiting)) ? 'BACKLOG' : undefined;
  }

  function disable(address: ReceiverAddress, url: string, reason: DisabledReason): ReceiverChange {
    return async (tx, record) => {
      const webhook = await lockWebhook(tx, address);
      if (webhook === undefined || webhook.disabledReason !== undefined) return;
      // Another receiver was chosen while this one was waited for.
      if (webhook.url !== url) return;
      await updateWebhook(tx, {
        ...webhook,
        disabledReason: reason,
        updatedAt: clock(),
        version: webhook.version + 1,
      });
      const details = { webhook: webhook.id, host: new URL(webhook.url).host, reason };
      record({ event: 'webhook.disabled', tenantId: webhook.tenantId, details });
    };
  }
}
