// A Prometheus histogram that finds a series once; each observation is then one addition. prom-client's own histogram
// checks labels and looks up the series by hash at every observation, several times per request.
import type { Metric, MetricValueWithName, Registry } from 'prom-client';

/** Upper bounds of the buckets, in seconds. */
export const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Adds one observation to a series. */
export type ObserveLatency = (milliseconds: number) => void;

interface Series {
  readonly labels: Readonly<Record<string, string | number>>;
  /** Counts by bucket, not cumulative. The last one counts values above all bounds. */
  readonly counts: number[];
  sum: number;
}

/** Creates and registers a histogram. */
export function createLatencyHistogram<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[],
) {
  const all: Series[] = [];
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: all.flatMap((series) => valuesOf(name, series)),
  });
  // The registry uses only its name and values, although its type requires prom-client's own class.
  registry.registerMetric({ name, labelNames, get } as unknown as Metric<Label>);
  return {
    /** Creates the series with these labels. Keep the result: a second call creates a second series. */
    series(labels: Readonly<Record<Label, string | number>>): ObserveLatency {
      const series: Series = { labels, counts: Array<number>(LATENCY_BUCKETS.length + 1).fill(0), sum: 0 };
      all.push(series);
      return (milliseconds) => {
        const seconds = milliseconds / 1000;
        let bucket = 0;
        while (bucket < LATENCY_BUCKETS.length && seconds > LATENCY_BUCKETS[bucket]!) bucket += 1;
        series.counts[bucket]! += 1;
        series.sum += seconds;
      };
    },
  };
}

function valuesOf(name: string, { labels, counts, sum }: Series): MetricValueWithName<string>[] {
  let total = 0;
  const buckets = counts.map((count, index) => ({
    metricName: `${name}_bucket`,
    labels: { le: LATENCY_BUCKETS[index] ?? '+Inf', ...labels },
    value: (total += count),
  }));
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
