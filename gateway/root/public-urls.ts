// The public URLs of the service, for its metadata.
import type { FastifyRequest } from 'fastify';
import type { GatewaySettings } from '../context.ts';
import { GatewayError } from '../errors/gateway-error.ts';

/** A host name or an address, with an optional port. No characters that end the authority of a URL. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

type ContextPath = GatewaySettings['app.http.context-path'];

/**
 * Returns the base of the service's URLs if the issuer is a URL: http or https, without query and fragment (RFC 8414 section 2).
 * Else undefined. If the issuer ends with the context path, the base does not, because the paths begin with it.
 */
export function issuerBase(issuer: string, contextPath: ContextPath): string | undefined {
  if (!issuerUrl(issuer)) return undefined;
  const base = issuer.replace(/\/+$/, '');
  return contextPath !== 'any' && base.endsWith(contextPath) ? base.slice(0, -contextPath.length) : base;
}

/** Whether a path in a metadata request belongs to the issuer: the issuer's path, the context path, or empty. */
export function isMetadataOf(issuer: string, contextPath: ContextPath, path: string): boolean {
  const issuerPath = issuerUrl(issuer)?.pathname.replace(/\/+$/, '');
  return path === '' || path === issuerPath || path === contextPath;
}

/**
 * Returns the origin that a request was sent to. X-Forwarded-Proto and X-Forwarded-Host count from trusted proxies only. Throws
 * GatewayError MALFORMED_REQUEST if the scheme or host is missing or invalid.
 */
export function requestBase({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  const text = `${protocol}://${host}`;
  if (/^https?$/.test(protocol) && HOST.test(host) && URL.canParse(text)) return new URL(text).origin;
  throw new GatewayError('MALFORMED_REQUEST', 'The Host header is missing or invalid');
}

function issuerUrl(issuer: string): URL | undefined {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isIssuer =
    url && /^https?:$/.test(url.protocol) && !/[?#]/.test(issuer) && url.username === '' && url.password === '';
  return isIssuer ? url : undefined;
}
