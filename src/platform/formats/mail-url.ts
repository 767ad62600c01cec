// Parses the mail URL, for the settings, which refuse an invalid one at once, and for sending.
import { staysOnMachine } from './network.ts';

/** A folder that gets a file for each mail. */
export interface MailFolder {
  readonly kind: 'file';
  readonly folder: string;
}

/** A server that accepts mails (RFC 6409). */
export interface MailServer {
  readonly kind: 'smtp';
  readonly host: string;
  readonly port: number;
  /** Whether the connection begins with TLS. Otherwise it uses STARTTLS, which is required beyond loopback. */
  readonly implicitTls: boolean;
  readonly isLoopback: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Path of a PEM file with the authorities of the server's certificate; undefined for those of Node. */
  readonly ca: string | undefined;
}

export type MailTarget = MailFolder | MailServer;

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/**
 * Reads a mail URL: `file:FOLDER` (relative to the working directory), `smtp://user:password@host:port` or `smtps://…`, with the
 * parameter `ca`. Throws an Error with the reason, but without the URL, because it contains the password.
 */
export function parseMailUrl(text: string): MailTarget {
  const [, folder] = /^file:(?!\/\/)([^\p{Cc}]{1,4096})$/u.exec(text) ?? [];
  if (folder !== undefined) return { kind: 'file', folder };
  const url = URL.parse(text);
  const port = DEFAULT_PORTS[url?.protocol ?? ''];
  if (url === null || port === undefined || url.hostname === '' || /[\s\p{Cc}]/u.test(text))
    throw new Error('The mail URL must be smtp://host, smtps://host or file:FOLDER');
  if (!['', '/'].includes(url.pathname) || url.hash !== '') throw new Error('The mail URL has no path and no fragment');
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  if ((user === '') !== (password === '')) throw new Error('The mail URL has a user and a password, or neither');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    kind: 'smtp',
    host,
    port: url.port === '' ? port : Number(url.port),
    implicitTls: url.protocol === 'smtps:',
    isLoopback: staysOnMachine(host),
    user: user || undefined,
    password: password || undefined,
    ca: readCa(url.searchParams),
  };
}

function readCa(parameters: URLSearchParams): string | undefined {
  const names = [...parameters.keys()];
  if (names.some((name) => name !== 'ca') || names.length > 1)
    throw new Error('The only parameter of the mail URL is ca');
  const ca = parameters.get('ca');
  if (ca === '') throw new Error('The parameter ca of the mail URL needs the path of a PEM file');
  return ca ?? undefined;
}
