/** One value of a metric. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric that a part of the process declares. It is read at each scrape and so costs nothing in between. */
export interface Metric {
  /** By the conventions of Prometheus: base unit and, for counters, `total` at the end. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly labelNames?: readonly string[];
  /** How the values of several workers become one. Default: their sum. */
  readonly aggregator?: 'sum' | 'min' | 'max';
  read(): readonly Sample[];
}

const singleValue =
  (type: Metric['type']) =>
  (name: string, help: string, read: () => number): Metric => ({ name, help, type, read: () => [{ value: read() }] });

/** Declares a metric with a single value. */
export const gauge = singleValue('gauge');
export const counter = singleValue('counter');

/** Returns the samples of a count for each value of one label. */
export function samplesBy(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([text, value]) => ({ labels: { [label]: text }, value }));
}
