// The OpenAPI document (GET /openapi.json) and its interactive page (GET /docs), which loads nothing from other servers.
// Imported by gateway/app.ts.
// A second Fastify with the same routes serves both. It is built at the first request: most processes never get one, and
// it takes a tenth of the start's time and memory.
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { GatewaySettings } from '../context.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { describeRoutes } from './document.ts';
import { lazyCompilers } from '../schema/lazy-schemas.ts';

const SELF = "'self'";
const PAGE = '/docs';
const DOCUMENT = '/openapi.json';
/** Headers of a request that concern a static file. */
const OF_FILES = ['accept', 'accept-encoding', 'if-modified-since', 'if-none-match', 'if-range', 'range'];
/** Headers of a response that describe its connection. Each server sets its own. */
const OF_CONNECTION = ['connection', 'date', 'keep-alive', 'transfer-encoding'];

export interface DocsOptions {
  readonly settings: GatewaySettings;
  readonly registerRoutes: (app: FastifyInstance) => void;
}

/** Adds the routes of the document and of the page, named after the product. */
export function serveDocs(app: FastifyInstance, options: DocsOptions): void {
  let building: Promise<FastifyInstance> | undefined;
  const docs = () =>
    (building ??= buildDocs(options).catch((error: unknown) => {
      building = undefined;
      throw error;
    }));

  const passOn = async ({ url, headers }: FastifyRequest, reply: FastifyReply) => {
    const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => OF_FILES.includes(name)));
    const response = await (await docs()).inject({ method: 'GET', url, headers: passed });
    if (response.statusCode === 404) throw new GatewayError('NOT_FOUND');
    for (const name of OF_CONNECTION) delete response.headers[name];
    return reply.code(response.statusCode).headers(response.headers).send(response.rawPayload);
  };
  for (const url of [DOCUMENT, PAGE, `${PAGE}/*`]) app.get(url, { schema: { hide: true } }, passOn);
}

async function buildDocs({ settings, registerRoutes }: DocsOptions): Promise<FastifyInstance> {
  const app = Fastify({ schemaController: { compilersFactory: lazyCompilers() } });
  // The other routes are only described here. A path such as /docs/../health/live must not reach them.
  app.addHook('onRequest', (request, reply, done) => {
    const { url = '' } = request.routeOptions;
    if (url === DOCUMENT || url === PAGE || url.startsWith(`${PAGE}/`)) done();
    else reply.callNotFound();
  });
  await describeRoutes(app, settings);
  await addPage(app, settings['app.name']);
  registerRoutes(app);
  app.get(DOCUMENT, { schema: { hide: true } }, async () => app.swagger());
  await app.ready();
  return app;
}

/** Returns an SVG with the product's name, instead of Swagger's logo. */
function logo(name: string): Buffer {
  const text = name.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  const width = 20 + 13 * name.length;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="40"><text x="4" y="28" fill="#fff" ` +
      `font-family="system-ui, sans-serif" font-size="22" font-weight="600">${text}</text></svg>`,
  );
}

/** Adds the documentation page with the product's name. Call it after describeRoutes. */
async function addPage(app: FastifyInstance, name: string): Promise<void> {
  const { default: swaggerUi } = await import('@fastify/swagger-ui');
  await app.register(swaggerUi, {
    routePrefix: PAGE,
    logo: { type: 'image/svg+xml', content: logo(name), href: PAGE },
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
