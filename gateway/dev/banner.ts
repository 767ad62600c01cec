import type { Demo } from './demo.ts';

interface Addresses {
  readonly url: string;
  readonly rpc: string;
  readonly management: string;
}

/**
 * The URL with the name that pages of developers have. To a browser, localhost and 127.0.0.1 are different sites, and a page on one
 * gets no refresh cookie from the other.
 */
const withLocalhost = (url: string): string => url.replace(/^http:\/\/(?:127\.0\.0\.1|\[::1\]):/, 'http://localhost:');

/** Prints the service's URLs, the demo accounts and first commands that work when pasted. */
export function printBanner(addresses: Addresses, { logins, client }: Demo): void {
  const { rpc } = addresses;
  const url = withLocalhost(addresses.url);
  const management = withLocalhost(addresses.management);
  const { username, password } = logins[0]!;
  const rows = logins.map((login) => `  ${login.username.padEnd(20)} ${login.tenant.padEnd(8)} ${login.role}`);
  const body = JSON.stringify({ username, password });
  process.stdout.write(`
REST        ${url}/api/v1
Demo        ${url}/demo
Try it      ${url}/docs
gRPC        ${rpc}
Management  ${management}/metrics

Demo accounts, all with the password ${password} (DEV only):
${rows.join('\n')}

Log in:
  curl -s ${url}/api/v1/auth/login -H 'Content-Type: application/json' -d '${body}'
Who am I:
  curl -s ${url}/api/v1/auth/me -H "Authorization: Bearer <accessToken>"
A token for a machine:
  curl -s ${url}/api/v1/auth/token -u ${client.clientId}:${client.clientSecret} -d grant_type=client_credentials

`);
}
