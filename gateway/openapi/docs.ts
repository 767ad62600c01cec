// The OpenAPI document (GET /openapi.json) and its page (GET /docs).
// A second Fastify with the same routes renders the document. It lives only for the first request: most processes never get one,
// and it takes a tenth of the start's time and memory.
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { GatewaySettings } from '../context.ts';
import type { GatewayModule } from '../module.ts';
import { createOnce, createStaticBody, sendStaticBody, type StaticBody } from '../http/static-body.ts';
import { servePage } from '../pages/page-route.ts';
import { createShells, pagesBase, type PageSource } from '../pages/page-source.ts';
import { lazyCompilers } from '../schema/lazy-schemas.ts';
import { describeRoutes } from './document.ts';

interface DocsOptions {
  readonly settings: GatewaySettings;
  /** The modules that are served. */
  readonly modules: readonly GatewayModule[];
  readonly registerRoutes: (app: FastifyInstance) => void;
  /** The source of the page. */
  readonly pages: PageSource;
  /** Path of the start page, if there is one. */
  readonly home: string | undefined;
}

/** Adds the routes of the document and of the page: at the root, and below the path of the public URL. */
export function serveDocs(app: FastifyInstance, options: DocsOptions): void {
  const { settings, pages, home } = options;
  const document = createOnce(() => renderDocument(options));
  const shell = createShells(settings, pages, home);
  const hidden = { schema: { hide: true } };
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) =>
    sendStaticBody(request, reply, await shell('docs'));

  for (const base of new Set(['', pagesBase(settings)])) {
    app.get(`${base}/openapi.json`, hidden, async (request, reply) => sendStaticBody(request, reply, await document()));
    servePage(app, `${base}/docs`, sendPage);
    servePage(app, `${base}/docs/:operation`, sendPage);
  }
}

async function renderDocument({ settings, modules, registerRoutes }: DocsOptions): Promise<StaticBody> {
  const app = Fastify({ schemaController: { compilersFactory: lazyCompilers() } });
  await describeRoutes(app, settings, modules);
  registerRoutes(app);
  await app.ready();
  const text = JSON.stringify(app.swagger());
  await app.close();
  return createStaticBody(text, 'application/json; charset=utf-8', { 'cache-control': 'no-cache' });
}
