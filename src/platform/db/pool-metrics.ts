import { gauge, samplesBy, type Metric } from '../metric.ts';
import type { Database } from './types.ts';

/** Returns the metrics of a database's connections and long reads. */
export function poolMetrics({ poolState, longReads }: Pick<Database, 'poolState' | 'longReads'>): Metric[] {
  return [
    {
      name: 'database_connections',
      help: 'Connections to the database, by state.',
      type: 'gauge',
      labelNames: ['state'],
      read() {
        const { used, idle } = poolState();
        return samplesBy('state', { used, idle });
      },
    },
    gauge(
      'database_connections_max',
      'Maximum number of connections to the database: app.database.pool-size.',
      () => poolState().max,
    ),
    gauge(
      'database_connection_waiters',
      'Statements and transactions that wait for a connection.',
      () => poolState().waiting,
    ),
    gauge(
      'database_long_reads_running',
      'Running reads that can take long: lists of administration, searches, far pages, statistics.',
      () => longReads.running,
    ),
    gauge('database_long_reads_queued', 'Reads that can take long and wait for a turn.', () => longReads.queued),
  ];
}
