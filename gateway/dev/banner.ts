// The end of the output of a start in DEV: the addresses to open first, and an account. The start page has the rest.
import type { GatewaySettings } from '../context.ts';
import { pageLinks } from '../pages/pages.ts';
import { DEMO_APP_PATH, hasDemoApp } from './demo-app.ts';
import type { Demo } from './start-page.ts';

/**
 * The URL with the name that pages of developers have. To a browser, localhost and 127.0.0.1 are different sites, and a page on one
 * gets no refresh cookie from the other.
 */
const withLocalhost = (url: string): string => url.replace(/^http:\/\/(?:127\.0\.0\.1|\[::1\]):/, 'http://localhost:');

/** Pages of web/ that the banner names, the first one first. */
const SHOWN = ['Console', 'Login'];

/** Returns at most eight lines. Those of the demo fit into 80 columns. */
export function devBanner(
  settings: GatewaySettings,
  addresses: { readonly url: string; readonly rpc: string },
  demo: Demo | undefined,
): string {
  const url = withLocalhost(addresses.url);
  const pages = new Map(pageLinks(settings).map(([path, title]) => [title, path]));
  const account = demo?.logins[0];
  const rows: readonly (readonly [title: string, text: string | undefined])[] = [
    ...SHOWN.map((title) => [title, pages.has(title) ? url + pages.get(title) : undefined] as const),
    ['Demo app', demo && hasDemoApp(settings) ? url + DEMO_APP_PATH : undefined],
    ['API', settings['app.http.docs'] ? `${url}/docs` : undefined],
    ['gRPC', addresses.rpc],
    ['Account', account && `${account.username}, password ${account.password} (${account.role} of ${account.tenant})`],
    ['More', `${url}/ has all pages${demo ? ', accounts and first commands' : ' and endpoints'}`],
  ];
  const lines = rows.flatMap(([title, text]) => (text === undefined ? [] : [`${title.padEnd(8)} ${text}\n`]));
  return `\n${lines.join('')}\n`;
}
