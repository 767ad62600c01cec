// GET /docs: the description of the API as a page on which calls can be tried. Everything that it shows comes from here.
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

const SELF = "'self'";

/** The product's name in place of the framework's logo. */
function logo(name: string): Buffer {
  const text = name.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  const width = 20 + 13 * name.length;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="40"><text x="4" y="28" fill="#fff" ` +
      `font-family="system-ui, sans-serif" font-size="22" font-weight="600">${text}</text></svg>`,
  );
}

/** Serves the page under the product's name; call it after describeRoutes. */
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
      // The page's own default sends the description to a server elsewhere.
      validatorUrl: null,
    },
  });
}
