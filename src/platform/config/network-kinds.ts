// Kinds of values that name hosts, addresses, origins and URLs.
import { isIP } from 'node:net';
import { MYSQL_PARAMETERS, parseDatabaseUrl } from '../db/database-url.ts';
import { parseFilesUrl } from '../files/files-url.ts';
import { parseMailUrl } from '../formats/mail-url.ts';
import type { AllowedOrigins } from '../formats/origins.ts';
import { integer, list, MASK, pattern, REFUSED, scalar, type Kind } from './kinds.ts';

const HOST_NAME = /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})(\.[A-Za-z0-9_-]{1,63})*$/;
const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%');
const isHost = (text: string): boolean => isAddress(text) || HOST_NAME.test(text);
const isUnixSocket = (text: string): boolean => /^unix:[^\p{Cc}]{1,107}$/u.test(text);

/** A TCP port to listen on; 0 picks a free one. */
export const port: Kind<number> = integer(0, 65_535);

/** An address to listen on. */
export const host: Kind<string> = scalar('an IP address or a host name', (text) => (isHost(text) ? text : REFUSED));

/** A host name without a port, as a Host header has it. */
export const hostName: Kind<string> = scalar('', (text) => (HOST_NAME.test(text) ? text.toLowerCase() : REFUSED));

/** An address to listen on, or `unix:/path`. */
export const hostOrSocket: Kind<string> = scalar('an IP address, a host name or `unix:/path`', (text) =>
  isHost(text) || isUnixSocket(text) ? text : REFUSED,
);

/** IP addresses and CIDR ranges. A prefix of 0 bits would match every address and is refused. */
export const networks: Kind<readonly string[]> = list(
  'IP addresses and CIDR ranges such as 10.0.0.0/8',
  scalar('', (text) => {
    const [address = '', bits, ...rest] = text.split('/');
    const most = isIP(address) === 4 ? 32 : 128;
    const goodBits = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most);
    return isAddress(address) && goodBits && rest.length === 0 ? text : REFUSED;
  }),
);

const isOrigin = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text && !text.includes('*');
};

const originList = list(
  'origins such as `https://host[:port]`, in lower case, without path, default port and wildcard',
  scalar('', (text) => (isOrigin(text) ? text : REFUSED)),
);

/** Exact origins. `anyLoopbackPort` is set only by the default of DEV. */
export const allowedOrigins: Kind<AllowedOrigins> = {
  accepts: originList.accepts,
  parse: (raw) => {
    const origins = originList.parse(raw);
    return origins === REFUSED ? REFUSED : { origins, anyLoopbackPort: false };
  },
  show: (value) =>
    value.anyLoopbackPort ? 'any port of http://localhost and http://127.0.0.1' : originList.show(value.origins),
};

/** `any`, or a path prefix such as `/shop`. */
export const contextPath: Kind<string> = pattern(
  '`any`, or a path such as `/shop` without a slash at its end',
  /^(any|(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)+)$/,
);

const PUBLIC_URL = /^(?=.{1,255}$)(https?:\/\/[^/]+)(\/.*)?$/;

/** The URL of the service in browsers: an origin, with a path that can be a context path. */
export const publicUrl: Kind<string> = scalar(
  'a URL such as `https://auth.example.com` or `https://example.com/shop`, with the host in lower case, without user, ' +
    'default port, query, fragment and slash at its end',
  (text) => {
    const [, origin = '', path = 'any'] = PUBLIC_URL.exec(text) ?? [];
    return isOrigin(origin) && contextPath.parse(path) !== REFUSED ? text : REFUSED;
  },
);

/** Returns the host of a public URL; undefined if it is an IP address, with which browsers have no passkeys. */
export function passkeyHost(url: string | undefined): string | undefined {
  const host = url === undefined ? undefined : new URL(url).hostname;
  return host === undefined || isAddress(host.replace(/^\[|\]$/g, '')) ? undefined : host;
}

/** A relying party id of WebAuthn: a domain name. */
export const rpId: Kind<string> = scalar('a domain name in lower case, such as `example.com`', (text) =>
  HOST_NAME.test(text) && !isAddress(text) && text === text.toLowerCase() ? text : REFUSED,
);

const DNS_TARGET = /^(dns:(\/\/[^/\s]*\/)?)?[A-Za-z0-9_.-]+:\d{1,5}$/;
const ADDRESS_TARGET = /^(ipv4:([\d.]+:\d{1,5},?)+|ipv6:(\[[0-9A-Fa-f:.]+\]:\d{1,5},?)+)(?<!,)$/;

/** `local`, or a gRPC target (grpc/doc/naming.md) with its port. */
export const coreTarget: Kind<string> = scalar(
  '`local`, or a gRPC target with a port such as `dns:///core:50051`, or `unix:/path`',
  (text) =>
    text === 'local' || DNS_TARGET.test(text) || ADDRESS_TARGET.test(text) || isUnixSocket(text) ? text : REFUSED,
);

/** Returns the URL with the password, in its authority or query, masked. */
function maskUrl(url: string): string {
  return url
    .replace(/^(\w+:\/\/[^:@/?#]*:).*@/s, `$1${MASK}@`)
    .replace(/([?&][^=&#]*(?:pass|pwd|secret|token|key)[^=&#]*=)[^&#]*/gi, `$1${MASK}`);
}

/** Accepts the texts for which a parser does not throw. */
const textFor = (parse: (text: string) => unknown) => (text: string) => {
  try {
    parse(text);
    return text;
  } catch {
    return REFUSED;
  }
};

const canDecode = (text: string): boolean => textFor(decodeURIComponent)(text) !== REFUSED;

function isServiceUrl(text: string, ...protocols: readonly string[]): boolean {
  const url = URL.parse(text);
  if (url === null || /[\s\p{Cc}]/u.test(text) || !protocols.includes(url.protocol) || url.hostname === '')
    return false;
  return [url.username, url.password, url.pathname].every(canDecode);
}

/** The base URL of an HTTP service, without credentials and query. */
export const httpUrl: Kind<string> = scalar(
  'a URL such as `http://collector:4318`, without user, query and fragment',
  (text) => {
    const url = isServiceUrl(text, 'http:', 'https:') ? new URL(text) : undefined;
    return url && url.username === '' && url.password === '' && !/[?#]/.test(text) ? text : REFUSED;
  },
);

/** A URL that parseDatabaseUrl accepts. */
export const databaseUrl: Kind<string> = scalar(
  '`sqlite:PATH`, or `mysql://user:password@host:3306/database`. Several hosts are separated by commas, preferred ones ' +
    'first. Special characters are percent-encoded. Parameters: ' +
    `${MYSQL_PARAMETERS.map((name) => `\`${name}\``).join(', ')}. ` +
    '`ssl` and `ssl-verify-identity` are `true` or `false`',
  textFor(parseDatabaseUrl),
  maskUrl,
);

/** A URL that parseFilesUrl accepts. */
export const filesUrl: Kind<string> = scalar(
  '`disk:FOLDER`, or `s3://bucket/prefix`. Parameters: `region`, and `endpoint` (`https://host:port`) for stores other ' +
    'than Amazon S3',
  textFor(parseFilesUrl),
);

/** A URL that parseMailUrl accepts. */
export const mailUrl: Kind<string> = scalar(
  '`smtp://user:password@host:587`, `smtps://user:password@host:465`, or `file:FOLDER`. Special characters are ' +
    'percent-encoded. Parameter: `ca`, a PEM file with the authorities of the server',
  textFor(parseMailUrl),
  maskUrl,
);

/** An address for mails (RFC 5321 section 4.1.2), without quoted forms and comments. */
export const mailAddress: Kind<string> = pattern(
  'a mail address such as `no-reply@example.com`',
  /^(?=.{3,254}$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/,
);

/** The store of a rate limiter's counts. */
export const rateLimitStore: Kind<string> = scalar(
  '`none`, `memory`, `database`, or a URL such as `redis://host:6379`',
  (text) => (['none', 'memory', 'database'].includes(text) || isServiceUrl(text, 'redis:', 'rediss:') ? text : REFUSED),
  maskUrl,
);

/** A cookie name: RFC 6265 section 4.1.1. `__Host-` requires Path=/, which the refresh cookie never has. */
export const cookieName: Kind<string> = pattern(
  "a cookie name of 1 to 128 letters, digits and !#$%&'*+-.^_`|~ without the prefix `__Host-`, which requires Path=/",
  /^(?!__host-)[!#$%&'*+\-.^_`|~A-Z0-9]{1,128}$/i,
);
