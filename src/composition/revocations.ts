import type { Settings } from '../platform/config/settings.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/types.ts';
import { ACCESS_TOKEN_TTL_MS } from '../auth/session/transport/body-transport.ts';
import { createRevocations, type Revocations } from '../auth/token/revocations.ts';

/** Returns the longest lifetime of an access token, in milliseconds. Gateways of both profiles can use one core. */
export function longestTokenMs(settings: Settings): number {
  const ofProfileA = settings['app.security.access-token-ttl'];
  return Math.max(ofProfileA, ACCESS_TOKEN_TTL_MS, settings['app.security.m2m.access-token-ttl']);
}

/** Returns the writer of the revocations that the revocation feed shows. */
export function createConfiguredRevocations(settings: Settings, database: Database, clock: Clock): Revocations {
  return createRevocations({ database, clock, tokenLifetimeMs: longestTokenMs(settings) });
}
