// Routes of pages. People and links add a slash to the path of a page.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestPath } from '../../src/platform/problem/request-path.ts';

type SendPage = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Not in the OpenAPI document. */
const HIDDEN = { schema: { hide: true } };
const SEGMENT_AND_SLASHES = /([^/]+)(\/+)$/;

/** Adds the route of a page. The path with slashes at its end, also below a `*`, is redirected to the path without them. */
export function servePage(app: FastifyInstance, path: string, send: SendPage): void {
  const sendOrRedirect = async (request: FastifyRequest, reply: FastifyReply) => {
    const target = withoutSlashes(request.originalUrl);
    return target === undefined ? send(request, reply) : redirectForGood(reply, target);
  };
  app.get(path, HIDDEN, sendOrRedirect);
  if (!path.endsWith('*')) app.get(`${path}/`, HIDDEN, sendOrRedirect);
}

/**
 * Returns a reference to the path without the slashes at its end, with the query. It is relative, because a proxy can remove the
 * begin of the path. Undefined if the path has no slash at its end.
 */
function withoutSlashes(target: string): string | undefined {
  const [, segment, slashes = ''] = SEGMENT_AND_SLASHES.exec(requestPath(target)) ?? [];
  const query = target.indexOf('?');
  return segment && '../'.repeat(slashes.length) + segment + (query === -1 ? '' : target.slice(query));
}

/** No cache keeps the redirect: another version of this service can have another page. */
function redirectForGood(reply: FastifyReply, target: string): FastifyReply {
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(target, 308);
}
