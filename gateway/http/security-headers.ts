// Security headers of all responses, for browsers.
import type { FastifyInstance } from 'fastify';
import type { GatewaySettings } from '../context.ts';
import { NO_SNIFFING } from '../errors/send-problem.ts';

/** Adds the security headers to all responses. Call it before other hooks are added, because a hook could respond first. */
export function addSecurityHeaders(app: FastifyInstance, settings: GatewaySettings): void {
  const hstsMs = settings['app.http.hsts'];
  // Over plain HTTP the header is not allowed (RFC 6797 section 7.2).
  const hsts = hstsMs === undefined ? undefined : `max-age=${hstsMs / 1000}`;
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(NO_SNIFFING);
    if (hsts !== undefined && request.protocol === 'https') reply.header('strict-transport-security', hsts);
    done();
  });
}
