// A receiver of deliveries: a webhook, or an application that gets logout tokens. Their rooms say what a delivery sends, and what follows.
import type { Statements } from '../../platform/db/types.ts';
import type { AuditEvent } from '../audit/trail/audit-log.ts';
import type { RetryRules, Verdict } from './decide-attempt.ts';
import type { DueDelivery } from './delivery-store.ts';
import type { ReceiverAddress } from './queue-store.ts';

export type { ReceiverAddress };

export const RECEIVER_KINDS = ['webhook', 'application'] as const;

export interface Receiver {
  readonly kind: (typeof RECEIVER_KINDS)[number];
  readonly url: string;
  /** `open` gets deliveries. They wait while it is `held-back`. `closed` gets none. */
  readonly state: 'open' | 'held-back' | 'closed';
  readonly retries: RetryRules;
  /** Whether attempts are kept for administrators, with the beginnings of responses. */
  readonly keepsAttempts: boolean;
  /** Limit of a request. Default: that of all. */
  readonly timeLimitMs?: number;
  /** Returns what deliveries send, and those that have nothing to send any more. */
  load(due: readonly DueDelivery[]): Promise<LoadedDeliveries>;
  /** Returns the request of an attempt. Throws an Error for the owner of the receiver. */
  prepare(delivery: Pick<DueDelivery, 'id'>, body: string, attemptAt: number): Promise<PreparedRequest>;
  /** Returns a change of the receiver that a batch causes, which is stored with the batch; undefined if there is none. */
  afterBatch?(result: BatchResult): Promise<ReceiverChange | undefined>;
  /** Whether it is not closed, as a transaction sees it: it can have changed. Default: as it was found. */
  isOpenIn?(tx: Statements): Promise<boolean>;
}

export interface LoadedDeliveries {
  readonly loaded: readonly LoadedDelivery[];
  readonly missing: readonly DueDelivery[];
}

export interface LoadedDelivery {
  readonly delivery: DueDelivery;
  readonly body: string;
  /** Deliveries of a lane are sent one after another. */
  readonly lane: string;
}

export interface PreparedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface BatchResult {
  readonly verdicts: ReadonlySet<Verdict>;
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** Whether deliveries wait for the receiver: it fails, is slow or held back. */
  readonly isStuck: boolean;
}

export type ReceiverChange = (tx: Statements, record: (event: AuditEvent) => void) => Promise<void>;

/** Returns undefined if there is no such receiver. */
export type FindReceiver = (address: ReceiverAddress) => Promise<Receiver | undefined>;
