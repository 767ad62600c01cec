import { Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

/** Upper bounds of the latency histogram, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** What the gateway counts. */
export interface HttpMetrics {
  /**
   * Counts one answered request.
   *
   * @param route The route's pattern, never the path: paths are the client's to invent.
   */
  observeHttp(method: string, route: string, status: number, milliseconds: number): void;
}

/** Makes the gateway's metrics in the registry of its process. */
export function createHttpMetrics(registry: Registry): HttpMetrics {
  const requestSeconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the header of an HTTP request to the end of its answer, by route pattern.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  // Requests of one kind repeat: resolving their labels once is most of the cost saved.
  const kinds = new Map<string, Histogram.Internal<'method' | 'route' | 'status'>>();

  return {
    observeHttp(method, route, status, milliseconds) {
      const key = `${method} ${route} ${status}`;
      let kind = kinds.get(key);
      if (kind === undefined) {
        kind = requestSeconds.labels({ method, route, status });
        kinds.set(key, kind);
      }
      kind.observe(milliseconds / 1000);
    },
  };
}
