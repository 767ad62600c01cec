// The start page and the demo. Only app.env=DEV serves them. They load nothing from other servers.
import { readFile, readdir } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { GatewaySettings } from '../context.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import {
  type StaticBody,
  type StaticHeaders,
  createOnce,
  createStaticBody,
  keepLatestBody,
  sendStaticBody,
} from '../http/static-body.ts';
import { publicOrigin } from '../http/origins.ts';
import { requestBase } from '../root/public-urls.ts';
import type { PageFiles } from '../pages/page-files.ts';
import type { Brand } from '../pages/brand.ts';
import { branded, BUILT_PAGES } from '../pages/page-source.ts';
import { servePage } from '../pages/page-route.ts';
import { pageLinks } from '../pages/pages.ts';
import { DEMO_APP_PATH, hasDemoApp, renderDemoApp } from './demo-app.ts';
import { serveDevMail } from './dev-mail.ts';
import { renderNavigation } from './dev-page.ts';
import { type Demo, renderStartPage } from './start-page.ts';

const CLIENT = new URL('../../client/', import.meta.url);
/** Only files of these folders are served. */
const FOLDERS = ['demo', 'src', 'src/generated'];

const TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The part of the page that needs the shop. */
const OF_SHOP = /<!-- shop -->.*<!-- \/shop -->\s*/s;

/** The place of the links to other pages, which depend on the settings. */
const NAVIGATION = '<nav></nav>';

/** Reads all files of the page, by their paths below client/. */
async function readDemoFiles(
  headers: StaticHeaders,
  settings: GatewaySettings,
): Promise<ReadonlyMap<string, StaticBody>> {
  const navigation = renderNavigation(settings, '/demo');
  const files = new Map<string, StaticBody>();
  for (const folder of FOLDERS) {
    for (const name of await readdir(new URL(folder, CLIENT))) {
      const type = TYPES[extname(name)];
      if (type === undefined) continue;
      const path = `${folder}/${name}`;
      const text = await readFile(new URL(path, CLIENT), 'utf8');
      const withLinks = text.replace(NAVIGATION, navigation);
      const served = settings['app.business.enabled'] ? withLinks : withLinks.replace(OF_SHOP, '');
      const content = extname(name) === '.ts' ? stripTypeScriptTypes(served) : served;
      files.set(path, await createStaticBody(content, type, headers));
    }
  }
  return files;
}

/** The style sheet of the pages with the brand's, and the icon, under names that do not change. */
async function readBrandFiles(files: Promise<PageFiles>): Promise<ReadonlyMap<string, StaticBody>> {
  const { manifest, asset } = await files;
  const { style, icon, brand } = manifest;
  const read = async (name: string): Promise<Buffer> =>
    (await asset(name))?.representations.get('identity')!.bytes ?? Buffer.alloc(0);
  const styles = await Promise.all([style, ...(brand?.style ? [brand.style] : [])].map(read));
  const { type, headers } = (await asset(icon))!;
  return new Map([
    ['pages.css', await createStaticBody(Buffer.concat(styles), TYPES['.css']!, HEADERS)],
    ['icon', await createStaticBody(await read(icon), type, { ...headers, ...ICON_HEADERS })],
  ]);
}

export interface DevPages {
  /** URL of the management port. */
  readonly management: string;
  /** Undefined if this database has no demo accounts. */
  readonly demo: Demo | undefined;
}

const ICON_HEADERS = { 'cache-control': 'no-cache' };

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** Adds the routes of the pages. Call it before the app is ready. */
export function serveDevPages(
  app: FastifyInstance,
  settings: GatewaySettings,
  { management, demo }: DevPages,
  brand: Brand,
): void {
  const hidden = { schema: { hide: true } };
  const contextPath = settings['app.http.context-path'];
  const ownOrigin = publicOrigin(settings);
  const config = {
    appName: settings['app.brand.name'],
    profile: settings['app.security.auth-profile'],
    business: settings['app.business.enabled'],
    baseUrl: contextPath === 'any' ? '/' : contextPath,
    issuer: settings['app.public-url'],
    accounts: (demo?.logins ?? []).map(({ username, password, tenant, role }) => ({
      username,
      password,
      label: `${username} (${role}, ${tenant})`,
    })),
  };
  const startPage = keepLatestBody((url) =>
    createStaticBody(
      renderStartPage({ settings, url, management, demo, pages: pageLinks(settings) }),
      'text/html; charset=utf-8',
      HEADERS,
    ),
  );
  const pageFiles = branded(BUILT_PAGES, brand);
  const demoFiles = createOnce(
    async () => new Map([...(await readDemoFiles(HEADERS, settings)), ...(await readBrandFiles(pageFiles.files()))]),
  );
  const demoFile = async (path: string): Promise<StaticBody> => {
    const body = (await demoFiles()).get(path);
    if (body === undefined) throw new GatewayError('NOT_FOUND');
    return body;
  };
  const configBody = createOnce(() =>
    createStaticBody(JSON.stringify(config), 'application/json; charset=utf-8', HEADERS),
  );

  serveDevMail(app, settings);
  app.get('/', hidden, async (request, reply) =>
    sendStaticBody(request, reply, await startPage(ownOrigin ?? requestBase(request))),
  );
  if (demo && hasDemoApp(settings)) {
    const demoApp = createOnce(() => createStaticBody(renderDemoApp(settings), TYPES['.html']!, HEADERS));
    servePage(app, DEMO_APP_PATH, async (request, reply) => sendStaticBody(request, reply, await demoApp()));
  }
  servePage(app, '/demo', async (request, reply) => sendStaticBody(request, reply, await demoFile('demo/index.html')));
  app.get('/demo/config.json', hidden, async (request, reply) => sendStaticBody(request, reply, await configBody()));
  app.get<{ Params: { '*': string } }>('/demo/files/*', hidden, async (request, reply) =>
    sendStaticBody(request, reply, await demoFile(request.params['*'])),
  );
}
