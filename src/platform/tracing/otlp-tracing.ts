// Sends spans to an OpenTelemetry collector. Loaded by open-tracing.ts only if tracing is on.
import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { hostname } from 'node:os';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { ExportResultCode, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { withTimeout } from '../concurrency/with-timeout.ts';
import { createOtlpTracer } from './otlp-tracer.ts';
import type { Tracing } from './tracer.ts';

interface OtlpOptions {
  /** Base URL of the collector's OTLP/HTTP receiver. */
  readonly endpoint: string;
  /** Share of the traces without a sampled parent that are recorded, from 0 to 1. */
  readonly sampleRatio: number;
  readonly serviceName: string;
  readonly environment: string;
  readonly log: Logger;
}

// At most this many spans wait for the collector, about 1 kB each. Further ones are dropped.
const MAX_QUEUED_SPANS = 2_048;
const MAX_BATCH_SPANS = 512;
const BATCH_DELAY_MS = 1_000;
const EXPORT_TIMEOUT_MS = 3_000;
/** How long a stopping process tries to send the remaining spans. */
const FLUSH_LIMIT_MS = 2_000;
const WARNING_INTERVAL_MS = 60_000;
const MAX_ATTRIBUTE_CHARS = 256;

export function createOtlpTracing({ endpoint, sampleRatio, serviceName, environment, log }: OtlpOptions): Tracing {
  const counts = { recorded: 0, exported: 0, failed: 0 };
  let warnedAt = -Infinity;
  const warn = (problem: string) => {
    if (performance.now() - warnedAt < WARNING_INTERVAL_MS) return;
    warnedAt = performance.now();
    log.warn({ endpoint, problem, ...counts }, 'spans are lost because the collector does not accept them');
  };
  // The exporter below reports each failure once. The SDK would print it again.
  setGlobalErrorHandler(() => {});
  diag.setLogger(quietLogger(log), DiagLogLevel.WARN);

  const agent = endpoint.startsWith('https:') ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const exporter = countingExporter(
    new OTLPTraceExporter({
      url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
      timeoutMillis: EXPORT_TIMEOUT_MS,
      httpAgentOptions: () => agent,
    }),
    counts,
    warn,
  );
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: MAX_QUEUED_SPANS,
    maxExportBatchSize: MAX_BATCH_SPANS,
    scheduledDelayMillis: BATCH_DELAY_MS,
    exportTimeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.instance.id': `${hostname()}:${process.pid}`,
      'deployment.environment.name': environment.toLowerCase(),
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_CHARS },
    spanProcessors: [countingProcessor(batches, counts)],
  });
  return {
    tracer: createOtlpTracer(provider.getTracer('authservice')),
    counts,
    async close() {
      await withTimeout(provider.shutdown(), FLUSH_LIMIT_MS, () => new Error('the collector is too slow')).catch(
        (error: unknown) => warn(problemOf(error)),
      );
      // A connection to a collector that does not respond would keep the process running.
      agent.destroy();
    },
  };
}

function countingProcessor(processor: SpanProcessor, counts: { recorded: number }): SpanProcessor {
  return {
    onStart: (span, context) => processor.onStart(span, context),
    onEnd(span) {
      counts.recorded += 1;
      processor.onEnd(span);
    },
    forceFlush: () => processor.forceFlush(),
    shutdown: () => processor.shutdown(),
  };
}

function countingExporter(
  exporter: SpanExporter,
  counts: { exported: number; failed: number },
  onFailure: (problem: string) => void,
): SpanExporter {
  return {
    export(spans, callback) {
      exporter.export(spans, (result) => {
        const isSent = result.code === ExportResultCode.SUCCESS;
        counts[isSent ? 'exported' : 'failed'] += spans.length;
        if (!isSent) onFailure(problemOf(result.error));
        callback(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

function problemOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string | number };
  return message || String(code ?? 'unknown');
}

function quietLogger(log: Logger) {
  const debug = (message: string) => log.debug({ message }, 'message of the OpenTelemetry SDK');
  return { error: debug, warn: debug, info: debug, debug, verbose: debug };
}
