import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { counter, gauge, type Metric } from '../../metric.ts';
import type { Supervisor } from './supervisor.ts';
import type { Answers } from './worker.ts';

/** Returns the metrics of the workers themselves. */
export function workerMetrics(
  wanted: number,
  supervisor: () => Pick<Supervisor, 'restarts'> & { readonly count: number },
): Metric[] {
  return [
    gauge('workers_running', 'Running worker processes. The target is workers_wanted.', () => supervisor().count),
    gauge('workers_wanted', 'Wanted number of worker processes (app.workers).', () => wanted),
    counter('worker_restarts_total', 'Replacements of worker processes that ended.', () => supervisor().restarts),
  ];
}

type Metrics = Answers['metrics'];

/** Combines the metrics of several processes: counts are added, gauges as each metric declares. */
export function createCombinedMetrics() {
  const last = new Map<object, Metrics>();
  const gone = new WeakSet<object>();
  let ended: Metrics = [];

  return {
    /** Returns the text of the metrics of all members. Remembers them. */
    async combine(members: ReadonlyMap<object, Metrics | undefined>): Promise<string> {
      // A member that does not answer shows its last values.
      for (const [member, metrics] of members) {
        // A member can end after its response. Its counts are then in `ended`.
        if (metrics && !gone.has(member)) last.set(member, metrics);
      }
      return aggregate([...last.values(), ended]).metrics();
    },
    /** Keeps the last counts of a member that has ended, so that no sum decreases. */
    retain(member: object): void {
      const counts = (last.get(member) ?? []).filter(({ type }) => isCount(String(type)));
      last.delete(member);
      gone.add(member);
      ended = sumOf([ended, counts]);
    },
  };
}

function isCount(type: string): boolean {
  return type === 'counter' || type === 'histogram';
}

function aggregate(all: readonly Metrics[]) {
  return AggregatorRegistry.aggregate(all.map((metrics) => [...metrics]));
}

function sumOf(all: readonly Metrics[]): Metrics {
  return aggregate(all)
    .getMetricsAsArray()
    .map((metric) => (metric as unknown as { get(): MetricObjectWithValues<MetricValue<string>> }).get());
}
