// The gateway: translates REST into RPCs, one call into one RPC. It decides nothing.
import cookie from '@fastify/cookie';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { authPath } from './api-path.ts';
import { segmentsOfModules } from './contract/contracts.ts';
import { withoutLeadingPath } from './http/leading-path.ts';
import type { Gateway, GatewaySettings } from './context.ts';
import { errorFormats } from './auth/error-formats.ts';
import { withExport } from './audit/export-type.ts';
import { errorHandler, NO_SNIFFING } from './errors/error-handler.ts';
import type { Disclosure } from './errors/failure.ts';
import { allowOrigins, type CorsPaths } from './http/cors.ts';
import { acceptJsonBodies } from './http/json-body.ts';
import { followRequests, followResponses } from './http/lifecycle.ts';
import type { GuardConnections } from './http/listener.ts';
import { createServer } from './http/server.ts';
import { traceRequests } from './http/trace-requests.ts';
import type { HttpMetrics } from './metrics.ts';
import type { Tracer } from '../src/platform/tracing/tracer.ts';
import { type DevPages, serveDevPages } from './dev/dev-pages.ts';
import { createRebuiltPages } from './dev/rebuilt-pages.ts';
import { serveDocs } from './openapi/docs.ts';
import { readBrand } from './pages/brand.ts';
import { branded, BUILT_PAGES, servePageFiles } from './pages/page-source.ts';
import { servePages } from './pages/pages.ts';
import { PUBLIC_DOCUMENTS, withoutIssuerPath } from './root/well-known.ts';
import { enabledModules } from './modules.ts';
import { registerRoutes } from './routes.ts';

export interface AppOptions extends Gateway {
  readonly metrics: HttpMetrics;
  /** Records a span for each request. Default: no spans. */
  readonly tracer?: Tracer | undefined;
  /** Default: no connection is refused. */
  readonly guard?: GuardConnections;
  /** The start page and the demo. Only for app.env=DEV. */
  readonly dev?: DevPages;
}

/** Maximum time for which a connection must be quiet before the closing server ends it. */
const MAX_QUIET_MS = 1_000;

/** Builds the public HTTP server without starting to listen. `close()` waits for the requests in progress. */
export async function buildApp({ metrics, tracer, guard, dev, ...gateway }: AppOptions): Promise<FastifyInstance> {
  const { settings, log, stopping } = gateway;
  const disclosure: Disclosure = {
    mode: settings['app.api.error-disclosure.mode'],
    maxStackTraceChars: settings['app.api.error-disclosure.max-stack-trace-chars'],
  };
  const formatOf = errorFormats(settings);
  const handleError = errorHandler(formatOf, disclosure, log);
  const app = createServer({
    disclosure,
    handleError,
    formatOf,
    guard,
    onOverflow: metrics.countOverflow,
    trustedProxies: settings['app.http.trusted-proxies'],
    rewriteUrl: routedTarget(settings),
    quietMs: Math.min(settings['app.process.drain-delay'], MAX_QUIET_MS),
  });
  if (tracer) traceRequests(app, tracer, settings['app.http.trusted-proxies']);
  followResponses(app, { metrics, log, stopping });
  addSecurityHeaders(app, settings);
  await allowOrigins(app, settings['app.http.cors.allowed-origins'], corsPaths(settings));
  followRequests(app, handleError);
  acceptJsonBodies(app);
  await app.register(cookie, { hook: false });
  const addRoutes = (to: FastifyInstance) => registerRoutes(to.withTypeProvider<TypeBoxTypeProvider>(), gateway);
  const brand = await readBrand(settings);
  const pages = branded(dev ? createRebuiltPages(app, log) : BUILT_PAGES, brand);
  if (settings['app.http.pages'] || settings['app.http.docs'] || dev) servePageFiles(app, settings, pages);
  if (settings['app.http.docs']) {
    const modules = enabledModules(settings);
    serveDocs(app, { settings, modules, registerRoutes: addRoutes, pages, home: dev && '/' });
  }
  if (settings['app.http.pages']) servePages(app, settings, pages);
  if (dev) serveDevPages(app, settings, dev, brand);
  addRoutes(app);
  await app.ready();
  return app;
}

/** The paths of the OpenID provider that applications in browsers call from every origin, and those that only browsers visit. */
function corsPaths(settings: GatewaySettings): CorsPaths {
  if (!settings['app.oauth.enabled']) return { open: new Set(), closed: new Set() };
  const auth = authPath(settings);
  const endpoints = ['oauth2/token', 'oauth2/userinfo', 'oauth2/par', 'oauth2/device', 'introspect', 'revoke'];
  return {
    open: new Set([...PUBLIC_DOCUMENTS, ...endpoints.map((name) => `${auth}/${name}`)]),
    closed: new Set([`${auth}/oauth2/authorize`, `${auth}/oauth2/end-session`]),
  };
}

/**
 * Returns a function that rewrites a request target before routing: it removes the leading path and the issuer's path, and leads requests
 * for a file of audit records to their export.
 */
function routedTarget(settings: Gateway['settings']): (request: Pick<IncomingMessage, 'url' | 'headers'>) => string {
  const isAny = settings['app.http.context-path'] === 'any';
  const ofModules = isAny ? segmentsOfModules() : [];
  return ({ url = '/', headers: { accept } }) =>
    withExport(withoutIssuerPath(url) ?? (isAny ? withoutLeadingPath({ url }, ofModules) : url), accept);
}

/** Adds the security headers to all responses. Call it before other hooks are added, because a hook could respond first. */
function addSecurityHeaders(app: FastifyInstance, settings: GatewaySettings): void {
  const hstsMs = settings['app.http.hsts'];
  // Over plain HTTP the header is not allowed (RFC 6797 section 7.2).
  const hsts = hstsMs === undefined ? undefined : `max-age=${hstsMs / 1000}`;
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(NO_SNIFFING);
    if (hsts !== undefined && request.protocol === 'https') reply.header('strict-transport-security', hsts);
    done();
  });
}
