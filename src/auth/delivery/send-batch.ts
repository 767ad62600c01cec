// Sends due deliveries of one receiver: those of a lane one after another, those of several lanes at the same time.
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { logAttempt } from './attempts-log.ts';
import { decideAttempt, type DecidedAttempt, type Response } from './decide-attempt.ts';
import { selectAttemptsLog } from './delivery-list-store.ts';
import { selectDueDeliveries, type DueDelivery } from './delivery-store.ts';
import type { LeasedQueue } from './queue-store.ts';
import type { LoadedDelivery, Receiver } from './receiver.ts';

/** A request to a receiver. */
export interface DeliveryRequest {
  readonly url: string;
  /** The tenant of the receiver, '' for those of all tenants. */
  readonly owner: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  /** Limit of this request. Default: that of all. */
  readonly timeLimitMs?: number | undefined;
}

export interface SendBatchOptions {
  readonly database: Database;
  /** Sends a request. Resolves also if there is no response. */
  readonly post: (request: DeliveryRequest) => Promise<Response>;
  readonly clock: Clock;
}

/** An attempt, and the log of its delivery with it; undefined if the receiver keeps none. */
export interface SentAttempt {
  readonly delivery: DueDelivery;
  readonly decided: DecidedAttempt;
  readonly log: string | undefined;
}

/** The result of a batch. */
export interface SentBatch {
  readonly attempts: readonly SentAttempt[];
  /** Deliveries that have nothing to send any more. */
  readonly missing: readonly DueDelivery[];
  /** Whether a response took long. */
  readonly isSlow: boolean;
}

const BATCH_SIZE = 50;
/** Deliveries of a receiver that are sent at the same time. */
const LANES = 5;
/** No delivery of a batch begins later, so that receivers take turns. */
const BATCH_MS = 1_000;
const SLOW_MS = 2_000;

export function createSendBatch({ database, post, clock }: SendBatchOptions) {
  async function attempt(
    queue: LeasedQueue,
    { url, retries, timeLimitMs, keepsAttempts, prepare }: Receiver,
    { delivery, body }: LoadedDelivery,
    signal: AbortSignal,
  ): Promise<SentAttempt> {
    const before = keepsAttempts && delivery.hasLog ? await selectAttemptsLog(database, queue, delivery.id) : undefined;
    const attemptAt = clock();
    let response: Response;
    try {
      const prepared = await prepare(delivery, body, attemptAt);
      response = await post({ url, owner: queue.tenantId ?? '', ...prepared, signal, timeLimitMs });
    } catch (error) {
      response = { kind: 'failed', error: (error as Error).message };
    }
    const now = clock();
    const decided = decideAttempt(response, delivery.attempts + 1, { attemptAt, now }, retries);
    const received = response.kind === 'answered' ? response.body : undefined;
    return { delivery, decided, log: keepsAttempts ? logAttempt(before, decided, now, received) : undefined };
  }

  /** To a receiver that fails, one delivery is sent, to see if it is back. An attempt that `signal` ends is not counted. */
  return async (queue: LeasedQueue, receiver: Receiver, signal: AbortSignal): Promise<SentBatch> => {
    const began = performance.now();
    const due = await selectDueDeliveries(database, queue, clock(), BATCH_SIZE);
    // A delivery that has failed comes before the later ones that have waited for it.
    const inOrder = due.toSorted((a, b) => a.sequence - b.sequence);
    const { loaded, missing } = await receiver.load(queue.failures > 0 ? inOrder.slice(0, 1) : inOrder);
    const lanes = [...Map.groupBy(loaded, ({ lane }) => lane).values()];
    const attempts: SentAttempt[] = [];
    let hasFailed = false;
    let isSlow = false;
    const isEnding = () => hasFailed || signal.aborted || performance.now() - began > BATCH_MS;
    const work = async () => {
      for (let lane = lanes.shift(); lane !== undefined && !isEnding(); lane = lanes.shift()) {
        for (const one of lane) {
          if (isEnding()) return;
          const startedAt = performance.now();
          const sent = await attempt(queue, receiver, one, signal);
          const { decided } = sent;
          if (signal.aborted && decided.verdict !== 'delivered') return;
          if (performance.now() - startedAt > SLOW_MS) isSlow = true;
          if (decided.verdict !== 'delivered' && decided.verdict !== 'refused') hasFailed = true;
          attempts.push(sent);
        }
      }
    };
    await Promise.all(Array.from({ length: LANES }, work));
    return { attempts, missing, isSlow };
  };
}
