// The metrics of a process.
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { ReasonName } from '../errors.ts';
import type { Cleanup, CleanupStats } from '../jobs/cleanup.ts';
import { counter, type Metric, type Sample } from '../metric.ts';
import { isServerFault } from '../problem/catalogue.ts';
import type { SpanCounts, Tracing } from '../tracing/tracer.ts';
import { createCertificateMetrics } from './certificate-metrics.ts';
import type { ConnectionBound, ConnectionLimit } from './connection-limit.ts';
import { type ObserveLatency, createLatencyHistogram } from './latency-histogram.ts';
import type { LogOutput } from './log-output.ts';

const KINDS: Readonly<Record<string, string>> = {
  '/authservice.session.v1.SessionService/Login': 'login',
  '/authservice.session.v1.SessionService/CompleteLogin': 'second-factor',
  '/authservice.session.v1.SessionService/LoginWithPasskey': 'passkey',
  '/authservice.session.v1.SessionService/ConfirmSession': 'confirmation',
  '/authservice.session.v1.SessionService/Refresh': 'refresh',
  '/authservice.clientcredentials.v1.ClientCredentialsService/IssueToken': 'grant',
};

/** Counts logins, their second step, confirmations, refreshes and grants by outcome and reason. */
function createAuthenticationMetric() {
  const all: { readonly labels: Readonly<Record<string, string>>; value: number }[] = [];
  const metric: Metric = {
    name: 'authentications_total',
    help: 'Logins, confirmations of sessions, refreshes and token grants, by outcome and reason.',
    type: 'counter',
    labelNames: ['kind', 'outcome', 'reason'],
    read: () => all,
  };
  return {
    metric,
    /** Returns a function that counts one call with this outcome; undefined for other RPCs. */
    counter(path: string, reason: ReasonName | 'OK'): (() => void) | undefined {
      const kind = KINDS[path];
      if (kind === undefined) return undefined;
      const series = { labels: { kind, outcome: outcomeOf(reason), reason }, value: 0 };
      all.push(series);
      return () => void (series.value += 1);
    },
  };
}

/** The password was right: not a refusal, and not yet a login. */
const CHALLENGES: readonly string[] = [
  'SECOND_FACTOR_REQUIRED',
  'SECOND_FACTOR_ENROLMENT_REQUIRED',
  'PASSWORD_CHANGE_REQUIRED',
];

function outcomeOf(reason: ReasonName | 'OK'): string {
  if (reason === 'OK') return 'success';
  if (CHALLENGES.includes(reason)) return 'challenge';
  return isServerFault(reason) ? 'error' : 'refused';
}

const HELPS: Readonly<Record<keyof SpanCounts, string>> = {
  recorded: 'Spans that ended and were sampled. Some may wait to be exported, and some were dropped from a full queue.',
  exported: 'Spans that the collector accepted.',
  failed: 'Spans that the collector refused or did not accept in time.',
};

/** Returns the metrics of the spans of this process. */
function spanMetrics({ counts }: Pick<Tracing, 'counts'>): Metric[] {
  return (['recorded', 'exported', 'failed'] as const).map((outcome) =>
    counter(`trace_spans_${outcome}_total`, HELPS[outcome], () => counts[outcome]),
  );
}

/** A metric that is read from the database. */
type StoredMetric = Omit<Metric, 'read'> & { read(): Promise<readonly Sample[]> };

/** Returns the metrics of the cleanup. All workers read the same tables. */
function cleanupMetrics(cleanup: Cleanup): StoredMetric[] {
  // The metrics are read together, so one database query serves them all.
  let reading: Promise<CleanupStats | undefined> | undefined;
  const stats = () =>
    (reading ??= cleanup
      .stats()
      .catch(() => undefined)
      .finally(() => (reading = undefined)));
  const perTable = (
    name: string,
    help: string,
    value: (table: CleanupStats['tables'][number]) => number,
  ): StoredMetric => ({
    name,
    help,
    type: 'gauge',
    labelNames: ['table'],
    aggregator: 'max',
    read: async () =>
      ((await stats())?.tables ?? []).map((table) => ({ labels: { table: table.table }, value: value(table) })),
  });
  return [
    perTable('cleanup_backlog_rows', 'Expired rows not yet deleted.', ({ backlog }) => backlog),
    perTable(
      'cleanup_oldest_seconds',
      'Time since the oldest of them expired, in seconds.',
      ({ oldestMs }) => oldestMs / 1000,
    ),
    {
      name: 'cleanup_last_run_timestamp_seconds',
      help: 'Time of the last completed cleanup by any process, in Unix seconds.',
      type: 'gauge',
      aggregator: 'max',
      async read() {
        const lastRunAt = (await stats())?.lastRunAt;
        // A cleanup that never ran has no time, so the gauge has no value instead of 0.
        return lastRunAt === undefined ? [] : [{ value: lastRunAt / 1000 }];
      },
    },
  ];
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Node's own metrics: one set in a process, since each set measures with a timer and an observer that nothing ends. */
const ofNode = new Registry();

function addNodeMetrics(registry: Registry): void {
  if (ofNode.getMetricsAsArray().length === 0) collectDefaultMetrics({ register: ofNode });
  for (const { name } of ofNode.getMetricsAsArray()) registry.registerMetric(ofNode.getSingleMetric(name)!);
}

/** Creates the metrics of a process, including Node's own. */
export function createMetrics() {
  const registry = new Registry();
  addNodeMetrics(registry);
  const registers = [registry];
  const calls = createLatencyHistogram(
    registry,
    'rpc_duration_seconds',
    'Duration of RPCs in seconds, by method and by the reason of their failure.',
    ['path', 'reason'],
  );
  const limits = new Map<string, Pick<ConnectionLimit, 'open'>>();
  const watch = (metrics: readonly (Metric | StoredMetric)[]) => watchMetrics(registry, metrics);
  watch([
    {
      name: 'connections_open',
      help: 'Open connections, by server.',
      type: 'gauge',
      labelNames: ['server'],
      read: () => [...limits].map(([server, { open }]) => ({ labels: { server }, value: open })),
    },
  ]);
  const refusedConnections = new Counter({
    name: 'connections_refused_total',
    help: 'Refused connections, by server and by the limit that they would have exceeded.',
    labelNames: ['server', 'bound'],
    registers,
  });
  const failedHandshakes = new Counter({
    name: 'rpc_tls_handshakes_failed_total',
    help: 'Failed TLS handshakes on the gRPC port.',
    registers,
  });
  const observers = new Map<string, ObserveLatency>();
  const authentications = createAuthenticationMetric();
  const certificates = createCertificateMetrics();
  watch([authentications.metric, ...certificates.metrics]);

  return {
    /** The metrics that GET /metrics returns. */
    registry,
    /**
     * Counts one call of an RPC.
     *
     * @param path Full gRPC path: `/authservice.session.v1.SessionService/Login`.
     */
    observeRpc(path: string, reason: ReasonName | 'OK', milliseconds: number): void {
      const key = `${path} ${reason}`;
      let observe = observers.get(key);
      if (!observe) {
        observe = withCount(calls.series({ path, reason }), authentications.counter(path, reason));
        observers.set(key, observe);
      }
      observe(milliseconds);
    },
    /** Adds metrics that parts of the process declare. */
    watch,
    watchTracing: (tracing: Pick<Tracing, 'counts'>) => watch(spanMetrics(tracing)),
    /** Receives the certificates in use. */
    observeCertificates: certificates.observer,
    /** Adds the number of a server's open connections. */
    watchConnections: (server: string, limit: Pick<ConnectionLimit, 'open'>) => void limits.set(server, limit),
    /** Counts a failed TLS handshake on the gRPC port. */
    countFailedHandshake: () => failedHandshakes.inc(),
    countRefusedConnection: (server: string, bound: ConnectionBound) => refusedConnections.inc({ server, bound }),
    watchLog: (output: Pick<LogOutput, 'droppedLines'>) =>
      watch([
        counter(
          'log_lines_dropped_total',
          'Log lines dropped because standard output was not read.',
          () => output.droppedLines,
        ),
      ]),
    watchCleanup: (cleanup: Cleanup) => watch(cleanupMetrics(cleanup)),
  };
}

function withCount(observe: ObserveLatency, count: (() => void) | undefined): ObserveLatency {
  if (count === undefined) return observe;
  return (milliseconds) => {
    observe(milliseconds);
    count();
  };
}

const TYPES = { counter: Counter, gauge: Gauge } as const;

/** Adds metrics that are read at each scrape. Metrics with the same name become one. */
export function watchMetrics(registry: Registry, metrics: readonly (Metric | StoredMetric)[]): void {
  for (const [name, same] of Map.groupBy(metrics, (metric) => metric.name)) {
    const { type, help, labelNames = [], aggregator = 'sum' } = same[0]!;
    new TYPES[type]({
      name,
      help,
      labelNames,
      aggregator,
      registers: [registry],
      async collect() {
        const samples: Sample[] = [];
        for (const metric of same) samples.push(...(await metric.read()));
        this.reset();
        // Without labels, reset() sets the value 0.
        if (samples.length + labelNames.length === 0) this.remove();
        for (const { labels = {}, value } of samples) this.inc(labels, value);
      },
    });
  }
}
