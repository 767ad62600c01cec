// Domain names in comparable form: A-labels, lower case.
import { domainToASCII } from 'node:url';

/** RFC 1123 section 2.1, in lower case. The last label contains a letter, so that no IP address matches. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?=[^.]*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_DOMAIN = 253;
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
