import { Counter, Gauge, type Registry } from 'prom-client';
import type { Metric } from '../metric.ts';

const TYPES = { counter: Counter, gauge: Gauge } as const;

/** Adds metrics that are read at each scrape. Metrics with the same name become one. */
export function watchMetrics(registry: Registry, metrics: readonly Metric[]): void {
  for (const [name, same] of Map.groupBy(metrics, (metric) => metric.name)) {
    const { type, help, labelNames = [], aggregator = 'sum' } = same[0]!;
    const samples = () => same.flatMap((metric) => metric.read());
    new TYPES[type]({
      name,
      help,
      labelNames,
      aggregator,
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels = {}, value } of samples()) this.inc(labels, value);
      },
    });
  }
}
