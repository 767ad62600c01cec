// The refresh credential in the headers that clients used before the cookie: for migration only.
import type { FastifyRequest } from 'fastify';
import { rawValues } from '../../http/call-options.ts';

const BEARER = /^bearer +(.*)$/is;

/** The refresh credentials of X-Refresh-Token and of Authorization: Bearer headers, as received. */
export function legacyCredentials({ raw: { rawHeaders } }: FastifyRequest): string[] {
  const bearers = rawValues(rawHeaders, 'authorization').flatMap((header) => BEARER.exec(header)?.[1] ?? []);
  return [...rawValues(rawHeaders, 'x-refresh-token'), ...bearers];
}
