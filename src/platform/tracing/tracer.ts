// Traces: the spans of a request from REST through RPC to SQL. Types only, so that a process without tracing loads nothing.

/** The W3C Trace Context of a request: https://www.w3.org/TR/trace-context/ */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** Facts about a span. Never a credential, an e-mail address or a value of an SQL statement. */
type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** One timed piece of work. */
export interface Span {
  readonly traceId: string;
  /** The context that makes other spans children of this one. */
  readonly headers: TraceHeaders;
  set(attributes: SpanAttributes): void;
  /** Ends the span. `error` is the type of the failure, if the work failed. */
  end(error?: string): void;
}

export interface SpanOptions {
  /** Default: work inside the process. */
  readonly kind?: 'server' | 'client';
  /** Default: the current span, else a new trace. */
  readonly parent?: TraceHeaders | undefined;
  /** The contexts of other spans that concern this work. Invalid ones are ignored. */
  readonly links?: readonly TraceHeaders[];
  readonly attributes?: SpanAttributes;
}

export interface Tracer {
  start(name: string, options?: SpanOptions): Span;
  /** Runs `work` with the span as the current one, including the asynchronous work that it starts. */
  run<T>(span: Span, work: () => T): T;
  /** The current span; undefined outside of all calls, as in jobs. */
  current(): Span | undefined;
  /** Runs `work` in a child of the current span. Without a current span, it only runs `work`. */
  trace<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
}

/** Counts of the spans of this process, by outcome. */
export interface SpanCounts {
  /** Ended and sampled. */
  readonly recorded: number;
  readonly exported: number;
  /** Refused by the collector, or not sent in time. */
  readonly failed: number;
}

export interface Tracing {
  readonly tracer: Tracer;
  readonly counts: SpanCounts;
  /** Sends the remaining spans. Gives up after a time limit and never rejects. */
  close(): Promise<void>;
}
