import type { Outcome } from './caller.ts';
import type { LoadResult } from './run.ts';

const PERCENTILES = [50, 90, 99, 99.9, 99.99] as const;

/** Names of gRPC's status codes, by code. */
const STATUS = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/** Returns the result of a load test as data. Latencies are in milliseconds. */
export interface LoadSummary {
  readonly calls: number;
  readonly perSecond: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly latency: Readonly<Record<string, number>>;
}

export function summaryOf({ milliseconds, outcomes, latency }: LoadResult): LoadSummary {
  const calls = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  const answered = (outcomes.get(0) ?? 0) > 0;
  const percentiles = PERCENTILES.map(
    (percentile) => [`p${percentile}`, latency.percentile(percentile) / 1e6] as const,
  );
  return {
    calls,
    perSecond: (1000 * calls) / milliseconds,
    statuses: Object.fromEntries([...outcomes].map(([outcome, count]) => [nameOf(outcome), count])),
    latency: answered
      ? { min: latency.min / 1e6, mean: latency.mean / 1e6, ...Object.fromEntries(percentiles), max: latency.max / 1e6 }
      : {},
  };
}

/** Formats the result of a load test as text. */
export function textOf({ calls, perSecond, statuses, latency }: LoadSummary): string {
  const lines = [
    `${calls} calls, ${perSecond.toFixed(1)} per second`,
    ...Object.entries(statuses).map(([name, count]) => `  ${name.padEnd(20)}${count}`),
    ...(latency['max'] === undefined ? [] : ['latency of OK, in milliseconds']),
    ...Object.entries(latency).map(([name, value]) => `  ${name.padEnd(20)}${value.toFixed(3)}`),
  ];
  return lines.join('\n');
}

function nameOf(outcome: Outcome): string {
  return typeof outcome === 'number' ? (STATUS[outcome] ?? `status ${outcome}`) : outcome;
}
