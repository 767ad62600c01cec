// Refresh tokens in the headers that clients used before the cookie. For migration only.
import type { FastifyRequest } from 'fastify';
import { rawValues } from '../../http/call-options.ts';

const BEARER = /^bearer +(.*)$/is;

/**
 * Returns the refresh tokens of the X-Refresh-Token headers, as received. If there are none, returns those of the
 * `Authorization: Bearer` headers. Clients that add their access token to every request send both headers. An empty
 * X-Refresh-Token counts as absent.
 */
export function legacyCredentials({ raw: { rawHeaders } }: FastifyRequest): string[] {
  const named = rawValues(rawHeaders, 'x-refresh-token').filter((value) => value !== '');
  if (named.length > 0) return named;
  return rawValues(rawHeaders, 'authorization').flatMap((header) => BEARER.exec(header)?.[1] ?? []);
}
