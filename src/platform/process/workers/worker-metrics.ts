import type { Metric } from '../../metric.ts';
import type { Supervisor } from './supervisor.ts';

/** Returns the metrics of the workers themselves. */
export function workerMetrics(
  wanted: number,
  supervisor: () => Pick<Supervisor, 'restarts'> & { readonly count: number },
): Metric[] {
  return [
    {
      name: 'workers_running',
      help: 'Running worker processes. The target is workers_wanted.',
      type: 'gauge',
      read: () => [{ value: supervisor().count }],
    },
    {
      name: 'workers_wanted',
      help: 'Wanted number of worker processes (app.workers).',
      type: 'gauge',
      read: () => [{ value: wanted }],
    },
    {
      name: 'worker_restarts_total',
      help: 'Replacements of worker processes that ended.',
      type: 'counter',
      read: () => [{ value: supervisor().restarts }],
    },
  ];
}
