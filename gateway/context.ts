import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Settings } from '../src/platform/config/settings.ts';
import type { Clients } from './clients.ts';

/** The settings that the gateway reads. */
export type GatewaySettings = Pick<
  Settings,
  | 'app.name'
  | 'app.api.error-disclosure.mode'
  | 'app.api.error-disclosure.max-stack-trace-chars'
  | 'app.business.enabled'
  | 'app.files.max-bytes'
  | 'app.http.context-path'
  | 'app.http.cors.allowed-origins'
  | 'app.http.docs'
  | 'app.http.hsts'
  | 'app.http.trusted-proxies'
  | 'app.public-url'
  | 'app.security.auth-profile'
  | 'app.security.refresh-session.cookie-name'
  | 'app.security.refresh-session.cookie-per-origin'
  | 'app.security.refresh-session.cookie-secure'
  | 'app.security.refresh-session.legacy-fallbacks'
  | 'app.security.refresh-token.return-rotated'
>;

/** A Fastify instance whose handlers take their types from the route's TypeBox schemas. */
export type TypedApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** The dependencies of endpoints. */
export interface Gateway {
  readonly settings: GatewaySettings;
  readonly clients: Clients;
  readonly log: Logger;
}
