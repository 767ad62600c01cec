// Redirect URIs of applications: what can be registered, and which of them a request means.
import type { ApplicationType } from './application.ts';

const MAX_LENGTH = 2_000;
const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
/** A port, after a loopback host. The part before it is that of a registered URI without a port. */
const LOOPBACK_PORT = /^(https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/;
/** RFC 8252 section 7.1: a private scheme is a domain name in reverse order. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;

/**
 * Returns why a URI cannot be registered as a target of redirects; undefined if it can. URIs are compared as text later, so what
 * parsers read differently is refused (RFC 9700 section 4.1.3).
 */
export function findRedirectUriProblem(uri: string, type: ApplicationType): string | undefined {
  if (uri.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  // Visible ASCII, without the backslash, which some parsers read as a slash.
  if (!/^[!-~]+$/.test(uri) || uri.includes('\\'))
    return 'must consist of visible ASCII characters without backslashes';
  if (uri.includes('#')) return 'must have no fragment';
  if (uri.includes('*')) return 'must have no wildcard';
  const url = URL.parse(uri);
  if (!url) return 'must be an absolute URI';
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?]*@/.test(uri))
    return 'must have no user information';
  if (url.protocol === 'https:') return hasAuthority(uri) ? undefined : 'must be an absolute URI';
  if (url.protocol === 'http:') {
    return hasAuthority(uri) && isLoopback(url) ? undefined : 'must be https; http is only for loopback hosts';
  }
  const isPrivate = type === 'NATIVE' && PRIVATE_SCHEME.test(url.protocol) && uri.startsWith(url.protocol);
  return isPrivate ? undefined : 'must be https, or for a native application a scheme with a dot';
}

/** Whether a host is one of this machine. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return LOOPBACK_HOSTS.includes(hostname);
}

/**
 * Whether a request means a registered URI: the same text. Of a native application, any port of a loopback host is the same (RFC 8252
 * section 7.3).
 */
export function isRegisteredUri(uri: string, registered: readonly string[], type: ApplicationType): boolean {
  if (registered.includes(uri)) return true;
  if (type !== 'NATIVE' || !LOOPBACK_PORT.test(uri) || !URL.canParse(uri)) return false;
  return registered.some((one) => withoutPort(one) === withoutPort(uri));
}

const hasAuthority = (uri: string): boolean => /^https?:\/\/[^/?]/.test(uri);

/** Returns a URI of a loopback host without its port, any other URI unchanged. */
const withoutPort = (uri: string): string => uri.replace(LOOPBACK_PORT, '$1');
