// A receiver of deliveries: a webhook, or an application that gets logout tokens.
import type { Statements } from '../../platform/db/types.ts';
import { WEBHOOK_RETRIES, type RetryRules } from './decide-attempt.ts';
import { signatureHeaders } from './delivery-message.ts';
import type { DueDelivery } from './delivery-store.ts';
import type { WebhookSecretCipher } from './webhook-secrets.ts';
import { findTarget, type WebhookAddress, type WebhookTarget } from './webhook-store.ts';

export interface Target extends Pick<WebhookTarget, 'url' | 'disabledReason' | 'isSuspended'> {
  /** Whether failures disable it. */
  readonly isWebhook: boolean;
  readonly retries: RetryRules;
  /** Limit of a request. Default: that of webhooks. */
  readonly timeLimitMs?: number;
  /** Returns the request of an attempt. Throws an Error for the owner of the receiver. */
  prepare(
    delivery: Pick<DueDelivery, 'id'>,
    body: string,
    attemptAt: number,
  ): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly body: Buffer }>;
}

export type FindTarget = (address: WebhookAddress) => Promise<Target | undefined>;

/** @param findOther Finds a receiver that is no webhook. */
export function createFindTarget(
  database: Statements,
  secrets: WebhookSecretCipher,
  findOther: (address: WebhookAddress) => Promise<Target | undefined> = async () => undefined,
): FindTarget {
  return async (address) => {
    const webhook = await findTarget(database, address);
    if (!webhook) return findOther(address);
    return {
      ...webhook,
      isWebhook: true,
      retries: WEBHOOK_RETRIES,
      async prepare({ id }, text, attemptAt) {
        const body = Buffer.from(text);
        const signing = secrets.open(address.id, webhook.secrets, attemptAt);
        return {
          headers: {
            'content-type': 'application/json',
            'user-agent': 'authservice',
            ...signatureHeaders(signing, { id, sentAt: attemptAt, body }),
          },
          body,
        };
      },
    };
  };
}
