// The start page and the demo. Only app.env=DEV serves them. They load nothing from other servers.
// Imported by the files that build and start the gateway.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { GatewaySettings } from '../context.ts';
import { requestBase } from '../root/public-urls.ts';
import type { Demo } from './demo.ts';
import { readDemoFile } from './demo-files.ts';
import { renderStartPage } from './start-page.ts';

export interface DevPages {
  /** URL of the management port. */
  readonly management: string;
  /** Undefined if this database has no demo accounts. */
  readonly demo: Demo | undefined;
}

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** Adds the routes of the pages. Call it before the app is ready. */
export function serveDevPages(app: FastifyInstance, settings: GatewaySettings, { management, demo }: DevPages): void {
  const hidden = { schema: { hide: true } };
  const send = (reply: FastifyReply, type: string, body: string) => reply.headers(HEADERS).type(type).send(body);
  const contextPath = settings['app.http.context-path'];
  const config = {
    appName: settings['app.name'],
    profile: settings['app.security.auth-profile'],
    baseUrl: contextPath === 'any' ? '/' : contextPath,
    accounts: (demo?.logins ?? []).map(({ username, password, tenant, role }) => ({
      username,
      password,
      label: `${username} (${role}, ${tenant})`,
    })),
  };

  app.get('/', hidden, async (request, reply) =>
    send(reply, 'text/html; charset=utf-8', renderStartPage({ settings, url: requestBase(request), management, demo })),
  );
  app.get('/demo', hidden, async (_request, reply) => {
    const { type, text } = await readDemoFile('demo/index.html');
    return send(reply, type, text);
  });
  app.get('/demo/config.json', hidden, async (_request, reply) =>
    send(reply, 'application/json', JSON.stringify(config)),
  );
  app.get<{ Params: { '*': string } }>('/demo/files/*', hidden, async (request, reply) => {
    const { type, text } = await readDemoFile(request.params['*']);
    return send(reply, type, text);
  });
}
