// An application in the browser: a static page with oidc-client-ts, on an origin of its own.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { npmPackages } from '../../openapi/cache.ts';
import { PROJECT } from '../../support/service-process.ts';

const PACKAGES = join(PROJECT, 'examples/relying-parties/oidc-client-ts');
const LIBRARY = '../oidc-client-ts/dist/browser/oidc-client-ts.min.js';
const SCRIPT = `
const users = new oidc.UserManager({
  redirect_uri: location.origin + '/callback',
  scope: 'openid profile email',
  loadUserInfo: true,
  automaticSilentRenew: false,
  userStore: new oidc.WebStorageStateStore({ store: localStorage }),
  ...settings,
});
const errorOf = (reason) => reason.error ?? String(reason);
const plain = (user) => user && JSON.parse(user.toStorageString());
const ready = (location.pathname === '/callback' ? users.signinCallback() : users.getUser()).then(plain);
ready.catch(() => undefined);
let popped;
`;
const BUTTONS = `
<button onclick="users.signinRedirect()">Redirect</button>
<button onclick="popped = users.signinPopup().then(plain)">Popup</button>
`;

export interface Spa extends AsyncDisposable {
  readonly origin: string;
}

/**
 * Serves the application. `connect` returns the settings of its UserManager.
 *
 * @param host Default: that of the service, so that both are one site. The port does not matter.
 */
export async function startSpa(
  connect: (origin: string) => Promise<object>,
  host = 'localhost',
  port = 0,
): Promise<Spa> {
  const library = readFileSync(join(await npmPackages('oidc-client-ts', PACKAGES), LIBRARY));
  let page = '';
  const server = createServer(({ url }, response) => {
    if (url === '/library.js') return void response.setHeader('content-type', 'text/javascript').end(library);
    response.setHeader('content-type', 'text/html').end(page);
  });
  server.listen(port, host);
  await once(server, 'listening');
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  const script = `const settings = ${JSON.stringify(await connect(origin))};${SCRIPT}`;
  page = `<!doctype html><title>SPA</title><script src="/library.js"></script><script>${script}</script>${BUTTONS}`;
  return {
    origin,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
