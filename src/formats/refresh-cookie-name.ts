// The name of the refresh cookie: the core says which one to set, the gateway must know which one to read.
import { hash } from 'node:crypto';

export interface CookieNaming {
  /** The name for the service's own origin, and for requests without one. */
  readonly name: string;
  /** Whether every listed origin has a cookie of its own. */
  readonly perOrigin: boolean;
}

const ORIGIN_DIGITS = 8;

/** @param listedOrigin Set if the request comes from an origin that the settings list. */
export function refreshCookieName({ name, perOrigin }: CookieNaming, listedOrigin: string | undefined): string {
  if (!perOrigin || listedOrigin === undefined) return name;
  return `${name}_${hash('sha256', listedOrigin, 'hex').slice(0, ORIGIN_DIGITS)}`;
}
