// Formats of names: ids, usernames, domains, cookies.
import { hash } from 'node:crypto';
import { domainToASCII } from 'node:url';

/** The format of ids that this service issues: UUIDs in lower case. */
export const ID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Ids that people choose, such as those of tenants. */
export const SLUG_PATTERN = /^[a-z0-9-]{1,63}$/;

/** The permissions of a deployment's own. */
export const OWN_PERMISSION = /^[a-z][a-z0-9]*(?:[.:_-][a-z0-9]+)*$/;
const MAX_OWN_PERMISSION = 64;

/** Whether a text has the form of a permission of a deployment's own, such as `invoices:read`. */
export function isOwnPermission(name: string): boolean {
  return name.length <= MAX_OWN_PERMISSION && OWN_PERMISSION.test(name);
}

/** The names of built-in permissions, without the PERMISSION_ prefix. */
export const BUILT_IN_PERMISSION = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Whether a text has the form of a permission, built-in or own. */
export function isPermissionName(name: string): boolean {
  return BUILT_IN_PERMISSION.test(name) || isOwnPermission(name);
}

/** The message of a text that is not a permission. */
export const NOT_A_PERMISSION = 'must be a built-in permission, or one of your own, such as invoices:read';

/** The names of roles, built-in and own, without the ROLE_ prefix. */
export const ROLE_PATTERN = /^[A-Z][A-Z0-9_]{0,62}$/;

// Normalization is costly. A longer text has too many characters even after trimming.
const MAX_INPUT_UNITS = 4_096;

/**
 * Returns the canonical form of a login name: trimmed, Unicode NFC, lower case. A text that is too long for one is
 * returned unchanged.
 */
export function normalizeUsername(input: string): string {
  return input.length > MAX_INPUT_UNITS ? input : input.trim().normalize('NFC').toLowerCase();
}

/** RFC 1123 section 2.1, in lower case. The last label contains a letter, so that no IP address matches. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?=[^.]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** The most characters of a domain name. */
export const MAX_DOMAIN = 253;
/** Characters that end or encode the host in a URL. domainToASCII applies the rules of URLs. */
const NOT_IN_DOMAIN = /[\s/\\?#@:%[\]]/;

/** Returns the stored form of a domain; undefined if the text is not a domain name. */
export function parseDomainName(text: string): string | undefined {
  if (text.length > MAX_DOMAIN || !text.isWellFormed() || NOT_IN_DOMAIN.test(text)) return undefined;
  const domain = domainToASCII(text);
  return domain.length <= MAX_DOMAIN && DOMAIN.test(domain) ? domain : undefined;
}

/**
 * Returns the domain after the last `@` of a canonical username; undefined if there is none that a tenant could own.
 */
export function domainOfUsername(username: string): string | undefined {
  const at = username.lastIndexOf('@');
  if (at === -1) return undefined;
  const domain = domainToASCII(username.slice(at + 1)).replace(/\.$/, '');
  return DOMAIN.test(domain) ? domain : undefined;
}

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
