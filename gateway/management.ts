import type { FastifyInstance } from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { AppOptions } from './app.ts';
import { closeGracefully, followRequests } from './http/lifecycle.ts';
import { createServer } from './http/server.ts';
import { registerHealthRoutes } from './routes.ts';

/** Builds the server of the management port: GET /metrics (Prometheus) and the two health paths. */
export async function buildManagementApp({ settings, clients, log, metrics }: AppOptions): Promise<FastifyInstance> {
  const disclosure = settings['app.api.error-disclosure.mode'];
  const app = createServer({ log, disclosure, trustedProxies: [] });
  followRequests(app, disclosure);
  closeGracefully(app);
  registerHealthRoutes(app.withTypeProvider<TypeBoxTypeProvider>(), clients);
  app.get('/metrics', async (_request, reply) => {
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
  await app.ready();
  return app;
}
