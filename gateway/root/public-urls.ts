// The URLs under which clients reach the service, as its metadata names them.
import type { FastifyRequest } from 'fastify';
import type { GatewaySettings } from '../context.ts';
import { GatewayError } from '../errors/gateway-error.ts';

/** A host name or an address, with an optional port: nothing that could end it within a URL. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

type ContextPath = GatewaySettings['app.http.context-path'];

/**
 * What the service's paths follow on if the issuer is a URL (RFC 8414 section 2: http or https, without query and fragment); else
 * undefined. The issuer may end with the context path, which the paths themselves begin with.
 */
export function issuerBase(issuer: string, contextPath: ContextPath): string | undefined {
  if (!issuerUrl(issuer)) return undefined;
  const base = issuer.replace(/\/+$/, '');
  return contextPath !== 'any' && base.endsWith(contextPath) ? base.slice(0, -contextPath.length) : base;
}

/** Whether clients of the issuer ask for its metadata by this path: the issuer's own, the context path, or none. */
export function isMetadataOf(issuer: string, contextPath: ContextPath, path: string): boolean {
  const issuerPath = issuerUrl(issuer)?.pathname.replace(/\/+$/, '');
  return path === '' || path === issuerPath || path === contextPath;
}

/**
 * The origin that a request was sent to; X-Forwarded-Proto and X-Forwarded-Host count from trusted proxies only. Throws GatewayError
 * MALFORMED_REQUEST if the request does not name one.
 */
export function requestBase({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  const text = `${protocol}://${host}`;
  if (/^https?$/.test(protocol) && HOST.test(host) && URL.canParse(text)) return new URL(text).origin;
  throw new GatewayError('MALFORMED_REQUEST', 'The request does not name the host that it is for');
}

function issuerUrl(issuer: string): URL | undefined {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isIssuer =
    url && /^https?:$/.test(url.protocol) && !/[?#]/.test(issuer) && url.username === '' && url.password === '';
  return isIssuer ? url : undefined;
}
