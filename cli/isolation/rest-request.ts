import type { ProbeCase } from './probe-case.ts';

/** The variable parts of a request to a route. */
export interface RestRequest {
  /** Sends HEAD instead of the route's GET. */
  readonly head?: boolean;
  /** Values of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body, sent as JSON. */
  readonly body?: unknown;
  /** Body, sent as multipart/form-data in this order. Bytes are a PNG image. */
  readonly form?: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;
  /** Body, sent unchanged. */
  readonly content?: Uint8Array<ArrayBuffer>;
}

/** Cases by method and path. `GET /products/{id}` is below `/api/v1`, `GET /health/live` is at the root. */
export type RestCases = Readonly<Record<string, ProbeCase<RestRequest>>>;
