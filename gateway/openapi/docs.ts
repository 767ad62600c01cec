// The OpenAPI document (GET /openapi.json) and its interactive page (GET /docs), which loads nothing from other servers.
// A second Fastify with the same routes renders both. It lives only for the first request: most processes never get one, and it
// takes a tenth of the start's time and memory.
import { readdir } from 'node:fs/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import type { GatewaySettings } from '../context.ts';
import type { GatewayModule } from '../module.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { createOnce, createStaticBody, sendStaticBody, type StaticBody } from '../http/static-body.ts';
import { requestPath } from '../../src/platform/problem/request-path.ts';
import { describeRoutes } from './document.ts';
import { lazyCompilers } from '../schema/lazy-schemas.ts';

const SELF = "'self'";
const PAGE = '/docs';
const DOCUMENT = '/openapi.json';
/** The page reads the document at this path. */
const DOCUMENT_OF_PAGE = `${PAGE}/json`;

interface DocsOptions {
  readonly settings: GatewaySettings;
  /** The modules that are served. */
  readonly modules: readonly GatewayModule[];
  readonly registerRoutes: (app: FastifyInstance) => void;
}

/** Adds the routes of the document and of the page, named after the product. */
export function serveDocs(app: FastifyInstance, options: DocsOptions): void {
  const docs = createOnce(() => renderDocs(options));
  for (const url of [DOCUMENT, PAGE, `${PAGE}/*`])
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      const body = (await docs()).get(requestPath(request.url));
      if (body === undefined) throw new GatewayError('NOT_FOUND');
      return sendStaticBody(request, reply, body);
    });
}

/** Renders all files by their paths. */
async function renderDocs({
  settings,
  modules,
  registerRoutes,
}: DocsOptions): Promise<ReadonlyMap<string, StaticBody>> {
  const app = Fastify({ schemaController: { compilersFactory: lazyCompilers() } });
  await describeRoutes(app, settings, modules);
  await addPage(app, settings['app.name']);
  registerRoutes(app);
  app.get(DOCUMENT, { schema: { hide: true } }, async () => app.swagger());
  const folder = new URL('static/', import.meta.resolve('@fastify/swagger-ui'));
  const files = (await readdir(folder)).map((name) => `${PAGE}/static/${name}`);
  const paths = [DOCUMENT, PAGE, `${PAGE}/`, `${PAGE}/yaml`, `${PAGE}/static/swagger-initializer.js`, ...files];
  const bodies = new Map<string, StaticBody>();
  for (const path of paths) {
    const { statusCode, headers, rawPayload } = await app.inject(path);
    // One file is only a redirect to the page.
    if (statusCode !== 200) continue;
    const policy = headers['content-security-policy'];
    const body = await createStaticBody(rawPayload, String(headers['content-type']), {
      'cache-control': 'no-cache',
      ...(policy !== undefined && { 'content-security-policy': policy }),
    });
    bodies.set(path, body);
  }
  await app.close();
  return bodies.set(DOCUMENT_OF_PAGE, bodies.get(DOCUMENT)!);
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
