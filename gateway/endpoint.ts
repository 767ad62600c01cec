import type { HTTPMethods } from 'fastify';
import type { Clients, RpcName } from './clients.ts';
import type { TypedApp } from './context.ts';
import type { FailureName } from '../src/problem/catalogue.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The one RPC that the route calls: `authservice.session.v1.SessionService/Login`. */
    readonly rpc?: string | undefined;
    /** The route decides on a credential, so that an outage is one of authentication. */
    readonly checksCredential?: boolean;
    /** How the route can fail, beside what every route can. */
    readonly failures?: readonly FailureName[];
    /** A request without a body counts as one with an empty object. */
    readonly bodyIsOptional?: boolean;
    /** Its errors carry OAuth codes, and outside of JSON requests OAuth's own form. */
    readonly oauthErrors?: boolean;
  }
}

/** Where an endpoint is reached and which RPC it calls: its line in the table of routes. */
export interface Route {
  readonly method: HTTPMethods;
  readonly url: string;
  readonly config: { readonly rpc: string | undefined };
}

/** A line in the table of routes. */
export type Line = readonly [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  rpc: RpcName | undefined,
  endpoint: Endpoint,
];

/** Registers an endpoint at its place: schema, dialect, and the call of its one RPC. */
export type Endpoint = (app: TypedApp, clients: Clients, route: Route) => unknown;
