// GET /docs: the description of the API as a page on which calls can be tried. Everything that it shows comes from here.
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

const SELF = "'self'";

/** Serves the page; call it after describeRoutes. */
export async function serveDocs(app: FastifyInstance): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: {
      'default-src': SELF,
      'img-src': [SELF, 'data:'],
      'style-src': [SELF, "'unsafe-inline'"],
      'base-uri': SELF,
      'object-src': "'none'",
      'frame-ancestors': "'none'",
    },
    uiConfig: {
      docExpansion: 'list',
      deepLinking: true,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      // Tokens stay out of Web Storage.
      persistAuthorization: false,
      // The page's own default sends the description to a server elsewhere.
      validatorUrl: null,
    },
  });
}
