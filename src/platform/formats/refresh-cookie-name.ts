// The name of the refresh cookie. The core chooses the name to set, and the gateway needs the name to read.
import { hash } from 'node:crypto';

export interface CookieNaming {
  /** The name for the service's own origin, and for requests without one. */
  readonly name: string;
  /** Whether every listed origin has its own cookie. */
  readonly perOrigin: boolean;
}

const ORIGIN_DIGITS = 8;

/** @param listedOrigin Set if the request comes from an origin that the settings list. */
export function refreshCookieName({ name, perOrigin }: CookieNaming, listedOrigin: string | undefined): string {
  if (!perOrigin || listedOrigin === undefined) return name;
  return `${name}_${hash('sha256', listedOrigin, 'hex').slice(0, ORIGIN_DIGITS)}`;
}
