// The refresh credential in the headers that clients used before the cookie: for migration only.
import type { FastifyRequest } from 'fastify';
import { rawValues } from '../../http/call-options.ts';

const BEARER = /^bearer +(.*)$/is;

/**
 * The refresh credentials of X-Refresh-Token headers, else of Authorization: Bearer headers, as received. Clients that add their
 * access token to every request send both. An empty X-Refresh-Token counts as absent.
 */
export function legacyCredentials({ raw: { rawHeaders } }: FastifyRequest): string[] {
  const named = rawValues(rawHeaders, 'x-refresh-token').filter((value) => value !== '');
  if (named.length > 0) return named;
  return rawValues(rawHeaders, 'authorization').flatMap((header) => BEARER.exec(header)?.[1] ?? []);
}
