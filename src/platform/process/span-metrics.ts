import type { Metric } from '../metric.ts';
import type { SpanCounts, Tracing } from '../tracing/tracer.ts';

const HELPS: Readonly<Record<keyof SpanCounts, string>> = {
  recorded: 'Spans that ended and were sampled. Some may wait to be exported, and some were dropped from a full queue.',
  exported: 'Spans that the collector accepted.',
  failed: 'Spans that the collector refused or did not accept in time.',
};

/** Returns the metrics of the spans of this process. */
export function spanMetrics({ counts }: Pick<Tracing, 'counts'>): Metric[] {
  return (['recorded', 'exported', 'failed'] as const).map((outcome) => ({
    name: `trace_spans_${outcome}_total`,
    help: HELPS[outcome],
    type: 'counter',
    read: () => [{ value: counts[outcome] }],
  }));
}
