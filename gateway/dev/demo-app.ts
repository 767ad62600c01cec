// The demo app: an application that logs in users with this service. Its redirect URI is on this machine.
import type { GatewaySettings } from '../context.ts';
import { renderDevPage, type DevPageSettings } from './dev-page.ts';

export const DEMO_APP_PATH = '/demo-app';

/** Whether the page of the demo app is served: browsers come back to it at localhost only. */
export function hasDemoApp(settings: Pick<GatewaySettings, 'app.oauth.enabled' | 'app.public-url'>): boolean {
  return settings['app.oauth.enabled'] && /^http:\/\/localhost[:/]/.test(`${settings['app.public-url']}/`);
}

/** Renders the page as HTML. */
export function renderDemoApp(settings: DevPageSettings): string {
  const content = `      <div>
        <h1>Demo app</h1>
        <p class="lead">This page is an application of its own, with the client id <code>demo-app</code>. It knows the issuer, leads you to
          the login of this service, and gets an ID token for the code that you come back with.</p>
      </div>
      <p id="status" role="status">Nobody is logged in here.</p>
      <p class="actions"><button id="login" class="primary">Log in</button></p>
      <div id="result" class="cards" hidden>
        <section class="card" aria-labelledby="id-token-title">
          <h2 id="id-token-title">ID token</h2>
          <dl id="id-token" class="session"></dl>
        </section>
        <section class="card" aria-labelledby="userinfo-title">
          <h2 id="userinfo-title">Userinfo</h2>
          <dl id="userinfo" class="session"></dl>
        </section>
      </div>
      <script type="module" src="/demo/files/demo/demo-app.ts"></script>
`;
  return renderDevPage(settings, { title: 'Demo app', content });
}
