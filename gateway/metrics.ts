import type { Registry } from 'prom-client';
import { createLatencyHistogram, type ObserveLatency } from '../src/process/latency-histogram.ts';

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
  const requests = createLatencyHistogram(
    registry,
    'http_request_duration_seconds',
    'Time from the header of an HTTP request to the end of its answer, by route pattern.',
  );
  const observers = new Map<string, ObserveLatency>();

  return {
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
