import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { ReasonName } from '../errors.ts';
import type { Cleanup, CleanupStats } from '../jobs/cleanup.ts';
import type { ConnectionBound, ConnectionLimit } from './connection-limit.ts';
import { createLatencyHistogram, type ObserveLatency } from './latency-histogram.ts';
import type { LogOutput } from './log-output.ts';

/** What a process counts, Node's own figures included. */
export interface Metrics {
  /** Everything that GET /metrics shows. */
  readonly registry: Registry;
  /**
   * Counts one call of an RPC.
   *
   * @param path Full gRPC path: `/authservice.session.v1.SessionService/Login`.
   */
  observeRpc(path: string, reason: ReasonName | 'OK', milliseconds: number): void;
  /** Shows the backlog, the oldest row and the last run of the cleanup, read whenever the metrics are. */
  watchCleanup(cleanup: Cleanup): void;
  /** Shows how many lines the log has lost. */
  watchLog(output: LogOutput): void;
  /** Shows how many connections a server has. */
  watchConnections(server: string, limit: ConnectionLimit): void;
  countRefusedConnection(server: string, bound: ConnectionBound): void;
  /** Counts a TLS handshake with the gRPC port that failed. */
  countFailedHandshake(): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const calls = createLatencyHistogram(
    registry,
    'rpc_duration_seconds',
    'Time that an RPC took, by method and by the reason of its failure.',
  );
  const limits = new Map<string, ConnectionLimit>();
  new Gauge({
    name: 'connections_open',
    help: 'Open connections, by server.',
    labelNames: ['server'],
    registers,
    collect() {
      for (const [server, { open }] of limits) this.set({ server }, open);
    },
  });
  const refusedConnections = new Counter({
    name: 'connections_refused_total',
    help: 'Connections that were refused, by server and by the bound that they would have exceeded.',
    labelNames: ['server', 'bound'],
    registers,
  });
  const failedHandshakes = new Counter({
    name: 'rpc_tls_handshakes_failed_total',
    help: 'TLS handshakes with the gRPC port that failed.',
    registers,
  });
  const observers = new Map<string, ObserveLatency>();

  return {
    registry,
    observeRpc(path, reason, milliseconds) {
      const key = `${path} ${reason}`;
      let observe = observers.get(key);
      if (!observe) {
        observe = calls.series({ path, reason });
        observers.set(key, observe);
      }
      observe(milliseconds);
    },
    watchConnections: (server, limit) => void limits.set(server, limit),
    countFailedHandshake: () => failedHandshakes.inc(),
    countRefusedConnection: (server, bound) => refusedConnections.inc({ server, bound }),
    watchLog(output) {
      new Counter({
        name: 'log_lines_dropped_total',
        help: 'Log lines that were dropped because standard output was not read.',
        registers,
        collect() {
          this.reset();
          this.inc(output.droppedLines);
        },
      });
    },
    watchCleanup(cleanup) {
      // The three gauges are collected at the same moment: one look at the database serves them all.
      let looking: Promise<CleanupStats | undefined> | undefined;
      const stats = () =>
        (looking ??= cleanup
          .stats()
          .catch(() => undefined)
          .finally(() => (looking = undefined)));
      const perTable = (name: string, help: string, value: (table: CleanupStats['tables'][number]) => number) =>
        new Gauge({
          name,
          help,
          labelNames: ['table'],
          registers,
          async collect() {
            this.reset();
            for (const table of (await stats())?.tables ?? []) this.set({ table: table.table }, value(table));
          },
        });
      perTable('cleanup_backlog_rows', 'Expired rows that are still there.', ({ backlog }) => backlog);
      perTable(
        'cleanup_oldest_seconds',
        'How long the oldest of them has been expired.',
        ({ oldestMs }) => oldestMs / 1000,
      );
      new Gauge({
        name: 'cleanup_last_run_timestamp_seconds',
        help: 'When the cleanup last ran to its end, by any process.',
        registers,
        async collect() {
          const lastRunAt = (await stats())?.lastRunAt;
          // Without a value, not with 0: a cleanup that never ran has no time.
          if (lastRunAt === undefined) this.remove();
          else this.set(lastRunAt / 1000);
        },
      });
    },
  };
}
