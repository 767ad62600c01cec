import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { GatewaySettings } from '../src/platform/config/settings.ts';
import type { Clients } from './clients.ts';
import type { PageSource } from './pages/page-source.ts';

export type { GatewaySettings } from '../src/platform/config/settings.ts';

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
  /** Aborts when the process begins to stop. It still serves, but wants no new connections. Default: never. */
  readonly stopping?: AbortSignal | undefined;
  /** Where pages come from. Default: the built ones. */
  readonly pages?: PageSource;
}
