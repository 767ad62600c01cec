// The pages of web/: a shell per page, and the end of a login. They decide nothing: pages use the public
// REST API.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewaySettings } from '../context.ts';
import { sendStaticBody } from '../http/static-body.ts';
import { createShells, pagesBase, type PageSource } from './page-source.ts';
import { servePage } from './page-route.ts';
import { createReturnTarget } from './return-target.ts';
import { PAGE_HEADERS, withOpener } from './shell.ts';

interface Page {
  /** Name of its script in web/build/bundle.ts. */
  readonly name: string;
  /** Whether the paths below it are screens of the page, too. */
  readonly hasScreens: boolean;
  readonly profiles: readonly GatewaySettings['app.security.auth-profile'][];
  /** For the start page of DEV. Absent if only mails lead to the page. */
  readonly link?: readonly [title: string, note: string];
  /** Without mail, the page only says that it is of no use, and nothing links to it. */
  readonly needsMail?: true;
  /** Whether it continues a request of an application: with `request` in its query, it is a step between two pages of an application. */
  readonly continuesRequests?: true;
  /** Without the OpenID provider, it is not served. */
  readonly needsProvider?: true;
}

/** All pages. Those with a session that survives a reload need Profile A. */
const PAGES: readonly Page[] = [
  {
    name: 'login',
    hasScreens: false,
    profiles: ['A', 'B'],
    link: ['Login', 'for users, with their second factors'],
    continuesRequests: true,
  },
  {
    name: 'recover',
    hasScreens: false,
    profiles: ['A', 'B'],
    link: ['Recovery', 'for users who forgot their password'],
    needsMail: true,
    continuesRequests: true,
  },
  { name: 'logout', hasScreens: false, profiles: ['A', 'B'], continuesRequests: true, needsProvider: true },
  { name: 'device', hasScreens: false, profiles: ['A', 'B'], needsProvider: true },
  { name: 'invite', hasScreens: false, profiles: ['A', 'B'] },
  { name: 'email', hasScreens: false, profiles: ['A', 'B'] },
  {
    name: 'account',
    hasScreens: true,
    profiles: ['A'],
    link: ['Account', 'for users: password, second factors, sessions'],
  },
  {
    name: 'console',
    hasScreens: true,
    profiles: ['A'],
    link: ['Console', 'for administrators: tenants, users, sessions'],
  },
];

/** Returns a link to each page that is served: its path, its title and a note. */
export function pageLinks(
  settings: GatewaySettings,
): readonly (readonly [path: string, title: string, note: string])[] {
  if (!settings['app.http.pages']) return [];
  const hasMail = settings['app.mail.url'] !== undefined;
  return pagesOf(settings).flatMap(({ name, link, needsMail }) =>
    link && (hasMail || !needsMail) ? [[`${pagesBase(settings)}/${name}`, ...link]] : [],
  );
}

/** Returns the URL of the console; undefined if it is not served. `url` is the address of the gateway, for a service without a public URL. */
export function consoleUrl(settings: GatewaySettings, url: string): string | undefined {
  if (!settings['app.http.pages'] || !pagesOf(settings).some(({ name }) => name === 'console')) return undefined;
  return `${settings['app.public-url'] ?? `${url}${pagesBase(settings)}`}/console`;
}

const pagesOf = (settings: GatewaySettings): readonly Page[] =>
  PAGES.filter(
    ({ profiles, needsProvider }) =>
      profiles.includes(settings['app.security.auth-profile']) && (!needsProvider || settings['app.oauth.enabled']),
  );

/** Adds the routes of the pages. Call it before the app is ready. */
export function servePages(app: FastifyInstance, settings: GatewaySettings, source: PageSource): void {
  const base = pagesBase(settings);
  const served = pagesOf(settings);
  const shell = createShells(settings, source);
  const isProvider = settings['app.oauth.enabled'];

  for (const { name, hasScreens, continuesRequests } of served) {
    const send = async (request: FastifyRequest, reply: FastifyReply) => {
      const body = await shell(name);
      const keepsOpener = continuesRequests && isProvider && 'request' in (request.query as object);
      return sendStaticBody(request, reply, keepsOpener ? withOpener(body) : body);
    };
    servePage(app, `${base}/${name}`, send);
    if (hasScreens) servePage(app, `${base}/${name}/*`, send);
  }
  const home = served.some(({ name }) => name === 'account') ? `${base}/account` : `${base}/login`;
  const returnTarget = createReturnTarget(settings, home);
  servePage(app, `${base}/login/continue`, (request, reply) =>
    reply
      .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' })
      .redirect(returnTarget(request, (request.query as { readonly return?: unknown }).return), 303),
  );
}
