// Sends due deliveries of one webhook: those of an account one after another, those of several accounts at the same time.
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import type { AuditRecord, FollowedRecords } from '../audit/export/follow-records.ts';
import { decideAttempt, type DecidedAttempt, type Response } from './decide-attempt.ts';
import { recordBody } from './delivery-message.ts';
import { selectDueDeliveries, type DueDelivery } from './delivery-store.ts';
import type { LeasedQueue } from './queue-store.ts';
import type { Target } from './target.ts';

/** A request to a receiver. */
export interface WebhookRequest {
  readonly url: string;
  /** The tenant of the webhook, '' for those of all tenants. */
  readonly owner: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  /** Limit of this request. Default: that of all. */
  readonly timeLimitMs?: number | undefined;
}

export interface SendBatchOptions {
  readonly database: Database;
  readonly records: FollowedRecords;
  /** Sends a request. Resolves also if there is no response. */
  readonly post: (request: WebhookRequest) => Promise<Response>;
  readonly clock: Clock;
}

/** The result of a batch. */
export interface SentBatch {
  readonly attempts: readonly { readonly delivery: DueDelivery; readonly decided: DecidedAttempt }[];
  /** Deliveries whose audit record does not exist any more. */
  readonly missing: readonly DueDelivery[];
  /** Whether a response took long. */
  readonly isSlow: boolean;
}

const BATCH_SIZE = 50;
/** Deliveries of a webhook that are sent at the same time. */
const LANES = 5;
/** No delivery of a batch begins later, so that webhooks take turns. */
const BATCH_MS = 1_000;
const SLOW_MS = 2_000;

export function createSendBatch({ database, records, post, clock }: SendBatchOptions) {
  async function attempt(
    { tenantId }: LeasedQueue,
    { url, retries, timeLimitMs, prepare }: Target,
    { delivery, body }: Loaded,
    signal: AbortSignal,
  ): Promise<DecidedAttempt> {
    const attemptAt = clock();
    let response: Response;
    try {
      const prepared = await prepare(delivery, body!, attemptAt);
      response = await post({ url, owner: tenantId ?? '', ...prepared, signal, timeLimitMs });
    } catch (error) {
      response = { kind: 'failed', error: (error as Error).message };
    }
    return decideAttempt(response, delivery.attempts + 1, { attemptAt, now: clock() }, retries);
  }

  /** A webhook that fails sends one delivery, to see if its receiver is back. An attempt that `signal` ends is not counted. */
  return async (queue: LeasedQueue, target: Target, signal: AbortSignal): Promise<SentBatch> => {
    const began = performance.now();
    const due = await selectDueDeliveries(database, queue, clock(), BATCH_SIZE);
    // A delivery that has failed comes before the later ones that have waited for it.
    const inOrder = due.toSorted((a, b) => a.sequence - b.sequence);
    const { loaded, missing } = await load(records, queue.failures > 0 ? inOrder.slice(0, 1) : inOrder);
    const lanes = [...Map.groupBy(loaded, ({ accountId, delivery }) => accountId ?? delivery.id).values()];
    const attempts: { delivery: DueDelivery; decided: DecidedAttempt }[] = [];
    let hasFailed = false;
    let isSlow = false;
    const isEnding = () => hasFailed || signal.aborted || performance.now() - began > BATCH_MS;
    const work = async () => {
      for (let lane = lanes.shift(); lane !== undefined && !isEnding(); lane = lanes.shift()) {
        for (const one of lane) {
          if (isEnding()) return;
          const startedAt = performance.now();
          const decided = await attempt(queue, target, one, signal);
          if (signal.aborted && decided.verdict !== 'delivered') return;
          if (performance.now() - startedAt > SLOW_MS) isSlow = true;
          if (decided.verdict !== 'delivered' && decided.verdict !== 'refused') hasFailed = true;
          attempts.push({ delivery: one.delivery, decided });
        }
      }
    };
    await Promise.all(Array.from({ length: LANES }, work));
    return { attempts, missing, isSlow };
  };
}

/** A delivery with what it sends. */
interface Loaded {
  readonly delivery: DueDelivery;
  /** Undefined if its audit record does not exist any more. */
  readonly body: string | undefined;
  readonly accountId: string | undefined;
}

async function load(records: FollowedRecords, due: readonly DueDelivery[]) {
  const wanted = due.flatMap(({ recordTenant, recordId }) =>
    recordId === undefined ? [] : [{ tenantId: recordTenant, id: recordId }],
  );
  const found = new Map((await records.find(wanted)).map((record) => [record.id, record]));
  const all = due.map((delivery): Loaded => {
    const record: AuditRecord | undefined = delivery.recordId === undefined ? undefined : found.get(delivery.recordId);
    const body = delivery.payload ?? (record && recordBody(record));
    return { delivery, body, accountId: record?.accountId };
  });
  const missing = all.filter(({ body }) => body === undefined).map(({ delivery }) => delivery);
  return { loaded: all.filter(({ body }) => body !== undefined), missing };
}
