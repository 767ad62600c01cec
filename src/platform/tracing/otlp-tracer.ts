import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  type Tracer as OtelTracer,
  defaultTextMapGetter,
  defaultTextMapSetter,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { ServiceError } from '../errors.ts';
import type { Span, SpanOptions, TraceHeaders, Tracer } from './tracer.ts';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

const w3c = new W3CTraceContextPropagator();

/** A span with the object of the library that it wraps. */
interface WrappedSpan extends Span {
  readonly context: Context;
  /** Whether the sampler has chosen the trace. Then its children are recorded too. */
  readonly isRecorded: boolean;
}

/** Creates a Tracer that records its spans with the tracer of an OpenTelemetry SDK. */
export function createOtlpTracer(otel: OtelTracer): Tracer {
  const active = new AsyncLocalStorage<WrappedSpan>();

  function start(name: string, { kind, parent, links = [], attributes }: SpanOptions = {}): WrappedSpan {
    const context = parent === undefined ? active.getStore()?.context : contextOf(parent);
    const options = {
      kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind],
      links: links.flatMap((headers) => trace.getSpanContext(contextOf(headers)) ?? []).map((context) => ({ context })),
      ...(attributes && { attributes }),
    };
    return wrap(otel.startSpan(name, options, context ?? ROOT_CONTEXT));
  }

  const run = <T>(span: Span, work: () => T): T => active.run(span as WrappedSpan, work);

  return {
    start,
    run,
    current: () => active.getStore(),
    async trace(name, attributes, work) {
      if (active.getStore()?.isRecorded !== true) return work();
      const span = start(name, { attributes });
      try {
        const result = await run(span, work);
        span.end();
        return result;
      } catch (error) {
        span.end(errorType(error));
        throw error;
      }
    },
  };
}

function contextOf(headers: TraceHeaders): Context {
  return w3c.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
}

function wrap(span: OtelSpan): WrappedSpan {
  const context = trace.setSpan(ROOT_CONTEXT, span);
  return {
    context,
    isRecorded: span.isRecording(),
    traceId: span.spanContext().traceId,
    get headers() {
      const headers = {} as TraceHeaders;
      w3c.inject(context, headers, defaultTextMapSetter);
      return headers;
    },
    set: (attributes) => void span.setAttributes(attributes),
    end(error) {
      if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Returns the type of an error for a span. Messages stay out of spans, because they can contain data of a request. */
function errorType(error: unknown): string {
  if (error instanceof ServiceError) return error.reason;
  return error instanceof Error ? error.name : typeof error;
}
