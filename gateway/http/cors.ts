import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { originMatcher, type AllowedOrigins } from '../../src/platform/formats/origins.ts';

const EXPOSED_HEADERS =
  'X-Total-Count, X-Total-Count-Relation, X-Page, X-Per-Page, Link, Location, ETag, Accept-Ranges, Content-Disposition, ' +
  'Content-Range, Retry-After, WWW-Authenticate, X-Request-Id';
const ALLOWED_HEADERS =
  'Authorization, Content-Type, Content-Digest, X-Api-Key, X-Refresh-Token, If-Match, If-None-Match, If-Range, Range, ' +
  'Idempotency-Key, Last-Event-ID, User-Agent, X-Request-Id';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Of the open paths. */
const OPEN_METHODS = ['GET', 'HEAD', 'POST'];
const PREFLIGHT_SECONDS = 600;

/** Whole paths, such as `/.well-known/jwks.json`. */
export interface CorsPaths {
  /** Pages of all origins can send requests without credentials. */
  readonly open: ReadonlySet<string>;
  /** Only browsers that navigate come here. No origin gets CORS headers. */
  readonly closed: ReadonlySet<string>;
}

/** Allows pages of the listed origins to send requests with credentials. Other origins get CORS headers only on the open paths. */
export async function allowOrigins(
  app: Pick<FastifyInstance, 'addHook' | 'register'>,
  allowed: AllowedOrigins,
  { open, closed }: CorsPaths,
): Promise<void> {
  const isListed = originMatcher(allowed);
  if (open.size > 0) {
    app.addHook('onRequest', ({ url, headers, method }, reply, done) => {
      const isOpen = open.has(pathOf(url)) && !(headers.origin !== undefined && isListed(headers.origin));
      if (!isOpen) return done();
      reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', EXPOSED_HEADERS);
      if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) answerPreflight(reply);
      else done();
    });
  }
  if (allowed.origins.length === 0 && !allowed.anyLoopbackPort) return;
  const options: FastifyCorsOptions = {
    origin: (origin, done) => done(null, origin !== undefined && isListed(origin)),
    credentials: true,
    methods: METHODS,
    allowedHeaders: ALLOWED_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  };
  await app.register(cors, {
    delegator: ({ url }, done) => done(null, closed.has(pathOf(url)) ? { origin: false } : options),
  });
}

function answerPreflight(reply: FastifyReply): void {
  void reply
    .code(204)
    .header('access-control-allow-methods', OPEN_METHODS.join(', '))
    .header('access-control-allow-headers', ALLOWED_HEADERS)
    .header('access-control-max-age', PREFLIGHT_SECONDS)
    .header('content-length', 0)
    .send();
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
