// GET / in DEV: links to all pages and endpoints, and the demo accounts.
import type { GatewaySettings } from '../context.ts';
import { DEMO_APP_PATH, hasDemoApp } from './demo-app.ts';
import { type DevPageSettings, escape, hasMailFiles, renderDevPage } from './dev-page.ts';

type Link = readonly [href: string, text: string, note: string];

/** A demo account for login. */
interface DemoLogin {
  readonly username: string;
  readonly password: string;
  readonly tenant: string;
  readonly role: string;
}

/** The demo accounts and the demo machine client. */
export interface Demo {
  readonly logins: readonly DemoLogin[];
  readonly client: { readonly clientId: string; readonly clientSecret: string };
  /** The account with a second factor. */
  readonly totp: { readonly username: string; readonly secret: string };
}

interface StartPage {
  readonly settings: DevPageSettings &
    Pick<GatewaySettings, 'app.security.auth-profile' | 'app.oauth.enabled' | 'app.public-url'>;
  /** Origin of the service in the browser. */
  readonly url: string;
  readonly management: string;
  readonly demo: Demo | undefined;
  /** Links to the pages of web/. */
  readonly pages: readonly Link[];
}

/** Renders the page as HTML. */
export function renderStartPage({ settings, url, management, demo, pages }: StartPage): string {
  const profile = settings['app.security.auth-profile'];
  const links: readonly Link[] = [
    ['/demo', 'Demo', 'log in, and open a second tab with the same session'],
    ...(demo && hasDemoApp(settings)
      ? ([[DEMO_APP_PATH, 'Demo app', 'an application that logs in users with this service']] as const)
      : []),
    ...pages,
    ...(settings['app.http.docs']
      ? ([
          ['/docs', 'API', 'all endpoints, with their fields and a command for each'],
          ['/openapi.json', 'OpenAPI document', 'for generators of clients'],
        ] as const)
      : []),
    ...(hasMailFiles(settings) ? ([['/dev/mail', 'Mails', 'those that the service has sent']] as const) : []),
    ['/health/live', 'Liveness', 'the process responds'],
    ['/health/ready', 'Readiness', 'the database responds too'],
    [`${management}/metrics`, 'Metrics', 'for Prometheus, on the management port'],
    ['/.well-known/jwks.json', 'Keys', 'to verify access tokens'],
    ['/.well-known/openid-configuration', 'Metadata', 'the addresses of the endpoints, for OAuth clients'],
  ];
  const content = `      <div>
        <h1>The service is running</h1>
        <p class="lead">This page, the demo and the demo accounts exist in DEV only.
          The gateway serves Profile ${profile} (<code>app.security.auth-profile=${profile}</code>).</p>
      </div>
      <div class="cards loose">
        <section class="card" aria-labelledby="links">
          <h2 id="links">Pages and endpoints</h2>
          <ul class="places">
${links.map(([href, text, note]) => `            <li><a href="${escape(href)}">${text}</a> <span>${note}</span></li>`).join('\n')}
          </ul>
        </section>
        <div class="column">
        <section class="card" aria-labelledby="accounts">
          <h2 id="accounts">Demo accounts</h2>
${demo ? accounts(demo) : '          <p>This database has no demo accounts.</p>'}
        </section>
${demo ? commands(demo, url) : ''}        </div>
      </div>
      <script type="module" src="/demo/files/demo/copy.ts"></script>
`;
  return renderDevPage(settings, { title: settings['app.brand.name'], path: '/', content });
}

function accounts({ logins, totp }: Demo): string {
  const [{ password }] = logins as [Demo['logins'][number]];
  const rows = logins.map(
    ({ username, tenant, role }) =>
      `              <tr><th scope="row">${escape(username)}</th><td data-title="Tenant">${escape(tenant)}</td>` +
      `<td data-title="Roles">${escape(role)}</td></tr>`,
  );
  return `          <p>All have the password <code>${escape(password)}</code>. ${escape(totp.username)} also needs a TOTP code of the secret
            <code>${escape(totp.secret)}</code>.</p>
          <div class="scroll" role="region" aria-label="Table of accounts" tabindex="0">
            <table>
              <thead><tr><th scope="col">Username</th><th scope="col">Tenant</th><th scope="col">Roles</th></tr></thead>
              <tbody>
${rows.join('\n')}
              </tbody>
            </table>
          </div>`;
}

/** Commands that work when they are pasted. */
function commands({ logins, client }: Demo, url: string): string {
  const [{ username, password }] = logins as [Demo['logins'][number]];
  const body = JSON.stringify({ username, password });
  const shown: readonly (readonly [string, string])[] = [
    ['Log in', `curl -s ${url}/api/v1/auth/login -H 'Content-Type: application/json' \\\n  -d '${body}'`],
    ['Show your account', `curl -s ${url}/api/v1/auth/me -H "Authorization: Bearer <accessToken>"`],
    [
      'Get a token for a machine',
      `curl -s ${url}/api/v1/auth/token -d grant_type=client_credentials \\\n  -u ${client.clientId}:${client.clientSecret}`,
    ],
  ];
  const blocks = shown.map(
    ([title, command]) => `          <h3>${title}</h3>
          <div class="code-block"><pre><code>${escape(command)}</code></pre><button type="button" aria-live="polite" hidden>Copy</button></div>`,
  );
  return `        <section class="card" aria-labelledby="commands">
          <h2 id="commands">On the command line</h2>
${blocks.join('\n')}
        </section>
`;
}
