import type { HTTPMethods } from 'fastify';
import type { Clients } from './clients.ts';
import type { TypedApp } from './context.ts';
import type { FailureName } from '../src/platform/problem/catalogue.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The one RPC that the route calls: `authservice.session.v1.SessionService/Login`. */
    readonly rpc?: string | undefined;
    /** The route checks a credential, so an outage counts as an outage of authentication. */
    readonly checksCredential?: boolean;
    /** Failures of the route, in addition to those of every route. Default: those of its RPC. */
    readonly failures?: readonly FailureName[];
  }
}

/** Method and path of an endpoint, and the RPC that it calls. */
export interface Route {
  readonly method: HTTPMethods;
  readonly url: string;
  readonly config: { readonly rpc: string | undefined; readonly checksCredential: boolean };
}

/** An entry of the routes table. `Rpc` is the type of the names of RPCs. */
export type RouteEntry<Rpc extends string = string> = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  rpc: Rpc | undefined,
  endpoint: Endpoint,
];

/** Registers an endpoint at its route: schema, error format, and the call of its RPC. */
export type Endpoint = (app: TypedApp, clients: Clients, route: Route) => unknown;
