import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { originMatcher, type AllowedOrigins } from '../../src/platform/formats/origins.ts';

const EXPOSED_HEADERS =
  'X-Total-Count, X-Total-Count-Relation, X-Page, X-Per-Page, Link, Location, ETag, Accept-Ranges, Content-Disposition, ' +
  'Content-Range, Retry-After, WWW-Authenticate, X-Request-Id';
const ALLOWED_HEADERS =
  'Authorization, Content-Type, Content-Digest, X-Api-Key, X-Refresh-Token, If-Match, If-None-Match, If-Range, Range, ' +
  'Idempotency-Key, Last-Event-ID, X-Request-Id';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const PREFLIGHT_SECONDS = 600;

/** Allows pages of the listed origins to send requests with credentials. Other origins get no CORS headers. */
export async function allowOrigins(app: Pick<FastifyInstance, 'register'>, allowed: AllowedOrigins): Promise<void> {
  if (allowed.origins.length === 0 && !allowed.anyLoopbackPort) return;
  const isListed = originMatcher(allowed);
  await app.register(cors, {
    origin: (origin, done) => done(null, origin !== undefined && isListed(origin)),
    credentials: true,
    methods: METHODS,
    allowedHeaders: ALLOWED_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
}
