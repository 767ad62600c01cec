import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { backgroundOf } from '../../platform/jobs/background.ts';
import { gauge, samplesBy, type Metric } from '../../platform/metric.ts';
import { readQueueStats, type QueueStats } from '../delivery/outbox.ts';
import { countDisabled } from './webhook-store.ts';

/** Metrics are read at each scrape, the tables at most so often. */
const STATS_INTERVAL_MS = 10_000;
const NONE_DISABLED: Readonly<Record<string, number>> = { GONE: 0, FAILING: 0, BACKLOG: 0 };

/**
 * @param options.counts Attempts of this process, by result.
 * @param options.unsentSince Returns the time of the oldest audit record without deliveries; undefined if there is none.
 */
export function createWebhookMetrics(options: {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly counts: Readonly<Record<string, number>>;
  readonly unsentSince: () => number | undefined;
}): readonly Metric[] {
  const { clock, log, counts, unsentSince } = options;
  const database = backgroundOf(options.database);
  let stats: QueueStats = { failing: 0, oldestDueAt: undefined };
  // Without values until they are read: a zero would look like an increase to the alert.
  let disabled: Readonly<Record<string, number>> = {};
  let statsAt = -Infinity;

  /** The next scrape has the numbers. */
  function refresh(): void {
    if (performance.now() - statsAt < STATS_INTERVAL_MS) return;
    statsAt = performance.now();
    Promise.all([readQueueStats(database, clock()), countDisabled(database)]).then(
      ([ofQueues, ofWebhooks]) => {
        stats = ofQueues;
        disabled = { ...NONE_DISABLED, ...Object.fromEntries(ofWebhooks) };
      },
      (error: unknown) => log.debug({ err: error }, 'the metrics of webhooks could not be read'),
    );
  }

  const ageOf = (time: number | undefined) => (time === undefined ? 0 : Math.max(0, clock() - time) / 1000);
  return [
    {
      name: 'webhook_attempts_total',
      help: 'Attempts to send a delivery of a webhook, by result. given-up: the webhook is disabled.',
      type: 'counter',
      labelNames: ['result'],
      read: () => samplesBy('result', counts),
    },
    ofAllProcesses(
      gauge(
        'webhooks_failing',
        'Webhooks that wait after a failed attempt, and applications whose logout tokens do.',
        () => {
          refresh();
          return stats.failing;
        },
      ),
    ),
    ofAllProcesses({
      name: 'webhooks_disabled',
      help: 'Webhooks that the service has disabled, by reason. Those that an administrator has disabled are not counted.',
      type: 'gauge',
      labelNames: ['reason'],
      read: () => {
        refresh();
        return samplesBy('reason', disabled);
      },
    }),
    ofAllProcesses(
      gauge(
        'webhook_lag_seconds',
        'Age of the oldest audit record that no webhook has got, or time since the longest due webhook was due, without failing ones.',
        () => {
          refresh();
          return Math.max(ageOf(unsentSince()), ageOf(stats.oldestDueAt));
        },
      ),
    ),
  ];
}

/** All processes read the same table. */
const ofAllProcesses = (metric: Metric): Metric => ({ ...metric, aggregator: 'max' });
