import type { HTTPMethods } from 'fastify';
import type { Clients, RpcName } from './clients.ts';
import type { TypedApp } from './context.ts';
import type { FailureName } from '../src/platform/problem/catalogue.ts';

/** OpenAPI security of a route that accepts a bearer token or an API key. */
export const SECURITY = [{ bearer: [] }, { apiKey: [] }];

/** OpenAPI security of a route whose RPC rejects API keys. */
export const BEARER_ONLY = [{ bearer: [] }];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The one RPC that the route calls: `authservice.session.v1.SessionService/Login`. */
    readonly rpc?: string | undefined;
    /** The route checks a credential, so an outage counts as an outage of authentication. */
    readonly checksCredential?: boolean;
    /** Failures specific to the route, in addition to those of every route. */
    readonly failures?: readonly FailureName[];
    /** A missing body counts as an empty object. */
    readonly bodyIsOptional?: boolean;
    /** Errors carry OAuth codes. Unless the request is JSON, they also have OAuth's error format (RFC 6749 section 5.2). */
    readonly oauthErrors?: boolean;
  }
}

/** Method and path of an endpoint, and the RPC that it calls. */
export interface Route {
  readonly method: HTTPMethods;
  readonly url: string;
  readonly config: { readonly rpc: string | undefined };
}

/** An entry of the routes table. */
export type RouteEntry = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  rpc: RpcName | undefined,
  endpoint: Endpoint,
];

/** Registers an endpoint at its route: schema, error format, and the call of its RPC. */
export type Endpoint = (app: TypedApp, clients: Clients, route: Route) => unknown;
