// Records the spans of a deployment in memory.
import { SpanKind } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ReadableSpan, Sampler } from '@opentelemetry/sdk-trace';
import { createOtlpTracer } from '../../src/platform/tracing/otlp-tracer.ts';
import type { Tracer } from '../../src/platform/tracing/tracer.ts';

export interface RecordedSpans {
  readonly tracer: Tracer;
  /** All ended spans. */
  all(): readonly ReadableSpan[];
  /** The names of a trace's spans, indented by their depth, in the order of their start: `  SELECT accounts`. */
  tree(traceId: string): string[];
  reset(): void;
}

export function recordSpans(sampler?: Sampler): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
    ...(sampler && { sampler }),
  });
  return {
    tracer: createOtlpTracer(provider.getTracer('test')),
    all: () => exporter.getFinishedSpans(),
    tree: (traceId) => treeOf(exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === traceId)),
    reset: () => exporter.reset(),
  };
}

function treeOf(spans: readonly ReadableSpan[]): string[] {
  const startOf = ({ startTime: [seconds, nanoseconds] }: ReadableSpan) => seconds * 1e9 + nanoseconds;
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const below = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanContext }) => {
        const id = parentSpanContext?.spanId;
        return parent === undefined ? id === undefined || !ids.has(id) : id === parent;
      })
      .toSorted((a, b) => startOf(a) - startOf(b))
      .flatMap((span) => [
        `${'  '.repeat(depth)}${span.name}${span.kind === SpanKind.INTERNAL ? '' : ` (${SpanKind[span.kind]})`}`,
        ...below(span.spanContext().spanId, depth + 1),
      ]);
  return below(undefined, 0);
}
