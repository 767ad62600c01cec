// A Prometheus histogram whose series are found once and then cost an addition each. prom-client's own checks its labels and
// looks its series up by their hash whenever it observes, several times in every request.
import type { MetricValueWithName, Registry } from 'prom-client';

/** Upper bounds of the buckets, in seconds. */
export const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Adds one observation to a series. */
export type ObserveLatency = (milliseconds: number) => void;

export interface LatencyHistogram {
  /** The series of these labels, made when it is first asked for. Keep it: finding it again costs a second one. */
  series(labels: Readonly<Record<string, string | number>>): ObserveLatency;
}

interface Series {
  readonly labels: Readonly<Record<string, string | number>>;
  /** By bucket, not cumulated; the last one holds what is above all bounds. */
  readonly counts: number[];
  sum: number;
}

/** Makes a histogram and registers it. */
export function createLatencyHistogram(registry: Registry, name: string, help: string): LatencyHistogram {
  const all: Series[] = [];
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: all.flatMap((series) => valuesOf(name, series)),
  });
  // The registry reads these two of a metric; its type asks for prom-client's own class.
  registry.registerMetric({ name, get } as never);
  return {
    series(labels) {
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
