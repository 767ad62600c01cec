import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** Upper bounds of the latency histograms, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** What a process counts. */
export interface Metrics {
  /** Everything that GET /metrics shows. */
  readonly registry: Registry;
  /**
   * Counts one answered HTTP request.
   *
   * @param route The route's pattern, never the path: paths are the client's to invent.
   */
  observeHttp(method: string, route: string, status: number, ms: number): void;
  /**
   * Counts one call of an RPC.
   *
   * @param path Full gRPC path: `/session.v1.SessionService/Login`.
   * @param reason The name of its reason where the call failed, else `OK`.
   */
  observeRpc(path: string, reason: string, ms: number): void;
}

/** Makes the metrics of a process, Node's own included, in a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });

  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Answered HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const requestSeconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the header of an HTTP request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const callSeconds = new Histogram({
    name: 'rpc_duration_seconds',
    help: 'Time that an RPC took, by method and by the reason of its failure.',
    labelNames: ['path', 'reason'],
    buckets: BUCKETS,
    registers: [registry],
  });

  return {
    registry,
    observeHttp: (method, route, status, ms) => {
      requests.inc({ method, route, status });
      requestSeconds.observe({ method, route }, ms / 1000);
    },
    observeRpc: (path, reason, ms) => callSeconds.observe({ path, reason }, ms / 1000),
  };
}
