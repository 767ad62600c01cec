import type { Line } from './line.ts';

/** A request to a route, without what the route itself says. */
export interface RestRequest {
  /** HEAD in place of the route's GET. */
  readonly head?: boolean;
  /** Values of the path's parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as multipart/form-data, in this order; bytes are a PNG image. */
  readonly form?: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>;
  /** Sent as it is. */
  readonly content?: Uint8Array<ArrayBuffer>;
}

/** Lines by method and path: `GET /products/{id}` is below `/api/v1`, `GET /health/live` at the root. */
export type RestLines = Readonly<Record<string, Line<RestRequest>>>;
