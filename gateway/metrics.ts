import { Counter, type Registry } from 'prom-client';
import { PIPELINING_LIMITS } from '../src/platform/concurrency/pipelining.ts';
import { createLatencyHistogram, type ObserveLatency } from '../src/platform/process/latency-histogram.ts';

/** The gateway's metrics. */
export interface HttpMetrics {
  /**
   * Records one request whose response or connection has ended.
   *
   * @param route The route's pattern, never the path: clients could create any number of paths, and so of time series.
   */
  observeHttp(method: string, route: string, status: number, milliseconds: number): void;
  /** Counts a connection that closes because too many of its requests wait. */
  countOverflow(): void;
}

/** Creates the gateway's metrics in the registry of its process. */
export function createHttpMetrics(registry: Registry): HttpMetrics {
  const requests = createLatencyHistogram(
    registry,
    'http_request_duration_seconds',
    'Time from the header of an HTTP request to the end of its response, by route pattern. Status 499: the client ' +
      'disconnected before the response.',
    ['method', 'route', 'status'],
  );
  const overflows = new Counter({
    name: 'http_pipelining_overflows_total',
    help: `Connections closed because their client had more than ${PIPELINING_LIMITS.maxOpen} requests in progress.`,
    registers: [registry],
  });
  const observers = new Map<string, ObserveLatency>();

  return {
    countOverflow: () => overflows.inc(),
    observeHttp(method, route, status, milliseconds) {
      const key = `${method} ${route} ${status}`;
      let observe = observers.get(key);
      if (observe === undefined) {
        observe = requests.series({ method, route, status });
        observers.set(key, observe);
      }
      observe(milliseconds);
    },
  };
}
