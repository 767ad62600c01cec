import { staysOnMachine } from '../../src/platform/formats/network.ts';
import type { Demo } from './start-page.ts';

interface Addresses {
  readonly url: string;
  /** The setting app.http.host. */
  readonly host: string;
  readonly rpc: string;
  readonly management: string;
  /** Paths and titles of the pages of web/. */
  readonly pages: readonly (readonly [path: string, title: string, ...string[]])[];
}

const EXPOSED = (host: string) => `
WARNING: app.http.host=${host} lets other machines connect. These passwords are public, and one of the
accounts is SUPER_ADMIN. Use app.http.host=127.0.0.1, or app.env=PROD with accounts of your own.
`;

/**
 * The URL with the name that pages of developers have. To a browser, localhost and 127.0.0.1 are different sites, and a page on one
 * gets no refresh cookie from the other.
 */
const withLocalhost = (url: string): string => url.replace(/^http:\/\/(?:127\.0\.0\.1|\[::1\]):/, 'http://localhost:');

/** Prints the service's URLs, the demo accounts and first commands that work when pasted. */
export function printBanner(addresses: Addresses, { logins, client, totp }: Demo): void {
  const { host, rpc } = addresses;
  const url = withLocalhost(addresses.url);
  const management = withLocalhost(addresses.management);
  const { username, password } = logins[0]!;
  const pages = addresses.pages.map(([path, title]) => `${title.padEnd(12)}${url}${path}\n`);
  const rows = logins.map((login) => `  ${login.username.padEnd(20)} ${login.tenant.padEnd(8)} ${login.role}`);
  const body = JSON.stringify({ username, password });
  process.stdout.write(`
REST        ${url}/api/v1
Demo        ${url}/demo
${pages.join('')}API         ${url}/docs
gRPC        ${rpc}
Management  ${management}/metrics

Demo accounts, all with the password ${password} (DEV only):
${rows.join('\n')}
${totp.username} also needs a TOTP code of the secret ${totp.secret} (DEV only).
${staysOnMachine(host) ? '' : EXPOSED(host)}
Log in:
  curl -s ${url}/api/v1/auth/login -H 'Content-Type: application/json' -d '${body}'
Show your account:
  curl -s ${url}/api/v1/auth/me -H "Authorization: Bearer <accessToken>"
Get a token for a machine:
  curl -s ${url}/api/v1/auth/token -u ${client.clientId}:${client.clientSecret} -d grant_type=client_credentials

`);
}
