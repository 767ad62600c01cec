import type { Metric } from '../../metric.ts';
import type { Supervisor } from './supervisor.ts';

/** Returns the metrics of the workers themselves. */
export function workerMetrics(supervisor: () => Pick<Supervisor, 'restarts'> & { readonly count: number }): Metric[] {
  return [
    {
      name: 'workers_running',
      help: 'Worker processes that run; app.workers of them are wanted.',
      type: 'gauge',
      read: () => [{ value: supervisor().count }],
    },
    {
      name: 'worker_restarts_total',
      help: 'Worker processes that were started in the place of one that ended.',
      type: 'counter',
      read: () => [{ value: supervisor().restarts }],
    },
  ];
}
