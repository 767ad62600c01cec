// Refresh tokens in the headers that clients used before the cookie. For migration only.
import type { FastifyRequest } from 'fastify';
import { rawValues } from '../../http/call-options.ts';

const BEARER = /^bearer +(.*)$/is;

/**
 * Returns the refresh token of the X-Refresh-Token header, as received. If there is none, returns that of the
 * `Authorization: Bearer` header. Clients that add their access token to every request send both headers. An empty
 * X-Refresh-Token counts as absent. Repeated headers are one list (RFC 9110 section 5.3), which is not a token.
 */
export function legacyCredentials({ raw: { rawHeaders } }: FastifyRequest): string[] {
  const named = rawValues(rawHeaders, 'x-refresh-token').filter((value) => value !== '');
  if (named.length > 0) return [named.join(', ')];
  const bearers = rawValues(rawHeaders, 'authorization').flatMap((header) => BEARER.exec(header)?.[1] ?? []);
  return bearers.length > 0 ? [bearers.join(', ')] : [];
}
