import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ApiKeyServiceService } from '../proto/gen/api_key/v1/api_key_service.ts';
import type { ClientCredentialsServiceService } from '../proto/gen/client_credentials/v1/client_credentials_service.ts';
import type { HealthService } from '../proto/gen/grpc/health/v1/health.ts';
import type { IdentityServiceService } from '../proto/gen/identity/v1/identity_service.ts';
import type { SessionServiceService } from '../proto/gen/session/v1/session_service.ts';
import type { Settings } from '../src/config/settings.ts';
import type { Client } from '../src/rpc/types.ts';

/** The core's services as the gateway calls them, over either transport. */
export interface Clients {
  readonly apiKey: Client<typeof ApiKeyServiceService>;
  readonly identity: Client<typeof IdentityServiceService>;
  readonly session: Client<typeof SessionServiceService>;
  readonly clientCredentials: Client<typeof ClientCredentialsServiceService>;
  readonly health: Client<typeof HealthService>;
}

/** The settings that the gateway reads. */
export type GatewaySettings = Pick<
  Settings,
  | 'app.name'
  | 'app.api.error-disclosure.mode'
  | 'app.http.context-path'
  | 'app.http.cors.allowed-origins'
  | 'app.http.trusted-proxies'
  | 'app.security.auth-profile'
  | 'app.security.refresh-session.cookie-name'
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

/** What an endpoint is built from. */
export interface Gateway {
  readonly settings: GatewaySettings;
  readonly clients: Clients;
  readonly log: Logger;
}
