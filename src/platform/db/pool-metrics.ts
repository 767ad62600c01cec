import { samplesBy, type Metric } from '../metric.ts';
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
    {
      name: 'database_connections_max',
      help: 'Maximum number of connections to the database: app.database.pool-size.',
      type: 'gauge',
      read: () => [{ value: poolState().max }],
    },
    {
      name: 'database_connection_waiters',
      help: 'Statements and transactions that wait for a connection.',
      type: 'gauge',
      read: () => [{ value: poolState().waiting }],
    },
    {
      name: 'database_long_reads_running',
      help: 'Running reads that can take long: lists of administration, searches, far pages, statistics.',
      type: 'gauge',
      read: () => [{ value: longReads.running }],
    },
    {
      name: 'database_long_reads_queued',
      help: 'Reads that can take long and wait for a turn.',
      type: 'gauge',
      read: () => [{ value: longReads.queued }],
    },
  ];
}
