// What the metrics show of logout tokens.
import type { Logger } from 'pino';
import type { Database } from '../../../platform/db/types.ts';
import { backgroundOf } from '../../../platform/jobs/background.ts';
import { samplesBy, type Metric } from '../../../platform/metric.ts';
import { countWaiting } from '../../delivery/outbox.ts';
import { LOGOUT_EVENT } from './logout-receiver.ts';

/** Metrics are read at each scrape, the tables at most so often. */
const READ_INTERVAL_MS = 10_000;
const MAX_COUNTED = 100_000;

/** @param options.counts Attempts of this process, by result. */
export function createLogoutMetrics(options: {
  readonly database: Database;
  readonly log: Logger;
  readonly counts: Readonly<Record<string, number>>;
}): readonly Metric[] {
  const { log, counts } = options;
  const database = backgroundOf(options.database);
  let waiting: number | undefined;
  let readAt = -Infinity;

  /** The next scrape has the number. */
  function refresh(): void {
    if (performance.now() - readAt < READ_INTERVAL_MS) return;
    readAt = performance.now();
    countWaiting(database, LOGOUT_EVENT, MAX_COUNTED).then(
      (count) => (waiting = count),
      (error: unknown) => log.debug({ err: error }, 'the number of logout tokens could not be read'),
    );
  }

  return [
    {
      name: 'oauth_logout_attempts_total',
      help: 'Attempts to send a logout token to an application, by result. given-up: no other attempt follows.',
      type: 'counter',
      labelNames: ['result'],
      read: () => samplesBy('result', counts),
    },
    {
      name: 'oauth_logout_deliveries_pending',
      help: 'Logout tokens that wait for their first or their next attempt. Counted up to 100,000.',
      type: 'gauge',
      // All processes read the same table.
      aggregator: 'max',
      read() {
        refresh();
        return waiting === undefined ? [] : [{ value: waiting }];
      },
    },
  ];
}
