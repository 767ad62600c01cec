import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { withoutLeadingPath } from './business/leading-path.ts';
import type { Gateway } from './context.ts';
import { failureSender } from './errors/dialects.ts';
import { allowOrigins } from './http/cors.ts';
import { acceptJsonBodies } from './http/json-body.ts';
import { closeGracefully, followRequests } from './http/lifecycle.ts';
import { createServer } from './http/server.ts';
import type { HttpMetrics } from './metrics.ts';
import { serveDocs } from './root/docs.ts';
import { describeRoutes } from './root/openapi.ts';
import { errorDialects, errorForms, registerRoutes } from './routes.ts';

export type { Clients } from './clients.ts';
export type { GatewaySettings } from './context.ts';

export interface AppOptions extends Gateway {
  readonly metrics: HttpMetrics;
}

/** Builds the public HTTP server: everything but listening. `close()` finishes the requests under way. */
export async function buildApp({ metrics, ...gateway }: AppOptions): Promise<FastifyInstance> {
  const { settings, log } = gateway;
  const disclosure = settings['app.api.error-disclosure.mode'];
  const sendFailure = failureSender(errorDialects(settings), disclosure);
  const app = createServer({
    log,
    disclosure,
    sendFailure,
    errorForms: errorForms(settings),
    trustedProxies: settings['app.http.trusted-proxies'],
    rewriteUrl: settings['app.http.context-path'] === 'any' ? withoutLeadingPath : undefined,
  });
  await allowOrigins(app, settings['app.http.cors.allowed-origins']);
  followRequests(app, sendFailure, metrics);
  closeGracefully(app);
  acceptJsonBodies(app);
  await app.register(cookie, { hook: false });
  await describeRoutes(app, settings);
  await serveDocs(app);
  registerRoutes(app.withTypeProvider<TypeBoxTypeProvider>(), gateway);
  await app.ready();
  return app;
}
