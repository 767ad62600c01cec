// GET /docs: an interactive page of the OpenAPI document. It loads nothing from other servers.
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

const SELF = "'self'";

/** Returns an SVG with the product's name, instead of Swagger's logo. */
function logo(name: string): Buffer {
  const text = name.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  const width = 20 + 13 * name.length;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="40"><text x="4" y="28" fill="#fff" ` +
      `font-family="system-ui, sans-serif" font-size="22" font-weight="600">${text}</text></svg>`,
  );
}

/** Serves the documentation page with the product's name. Call it after describeRoutes. */
export async function serveDocs(app: FastifyInstance, name: string): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    logo: { type: 'image/svg+xml', content: logo(name), href: '/docs' },
    theme: { title: name },
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
      // By default, Swagger UI sends the document to an external validator.
      validatorUrl: null,
    },
  });
}
