// A limit of the OpenID provider: Keycloak on a MariaDB of its own. KEYCLOAK_HOME is the folder of its distribution, after
// `bin/kc.sh build --db=mariadb --cache=local`. JAVA_HOME chooses its Java.
import { readFileSync } from 'node:fs';
import { startMariaDb } from '../mariadb.ts';
import { LOAD_CORE, SERVER_CORE, startProgram, type Program } from '../program.ts';
import type { Stand } from '../stand.ts';
import { freePort } from '../../test/support/free-port.ts';
import { authorizationPath, CALLBACK, type OpenIdProvider } from './provider.ts';

/** Undefined if Keycloak is to be left out. */
export const KEYCLOAK_HOME = process.env['KEYCLOAK_HOME'];

const ADMIN = 'admin';
const PASSWORD = 'correct-horse-battery-staple';
const REALM = 'bench';
const PATHS = {
  authorize: `/realms/${REALM}/protocol/openid-connect/auth`,
  token: `/realms/${REALM}/protocol/openid-connect/token`,
  userinfo: `/realms/${REALM}/protocol/openid-connect/userinfo`,
};
/** Its first start creates the tables. */
const START_LIMIT_MS = 300_000;

/** Starts Keycloak, creates a realm with a client and users, and logs them in. */
export async function startKeycloak(
  start: Stand['start'],
  home: string,
  client: OpenIdProvider['client'],
  users: number,
): Promise<OpenIdProvider> {
  const { url } = await start(startMariaDb(LOAD_CORE));
  const shell = await start(startServer(home, new URL(url)));
  // The script waits for Java, whose CPU time counts.
  const program = { ...shell, pid: childOf(shell.pid) };
  const names = Array.from({ length: users }, (_, index) => `user${index}`);
  await importRealm(program.url, client, names);
  const provider = { name: 'Keycloak', program, client, paths: PATHS };
  const cookies: string[] = [];
  for (const name of names) cookies.push(await logIn(provider, name));
  return { ...provider, openBrowsers: () => Promise.resolve(cookies) };
}

async function startServer(home: string, { port, pathname }: URL): Promise<Program> {
  const http = await freePort();
  const settings = {
    'db-url': `jdbc:mariadb://127.0.0.1:${port}${pathname}`,
    'db-username': 'root',
    'db-password': '',
    'http-enabled': 'true',
    'http-host': '127.0.0.1',
    'http-port': String(http),
    'hostname-strict': 'false',
  };
  return startProgram({
    core: SERVER_CORE,
    startLimitMs: START_LIMIT_MS,
    env: {
      ...(process.env['JAVA_HOME'] !== undefined && { JAVA_HOME: process.env['JAVA_HOME'] }),
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN,
      KC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD,
    },
    command: () => [
      `${home}/bin/kc.sh`,
      'start',
      '--optimized',
      ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
    ],
    urlIn: (line) => (/Listening on: http:/.test(line) ? `http://127.0.0.1:${http}` : undefined),
  });
}

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}

async function importRealm(url: string, { id, secret }: OpenIdProvider['client'], names: readonly string[]) {
  const token = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', username: ADMIN, password: PASSWORD }),
  });
  const { access_token: accessToken } = (await token.json()) as { readonly access_token: string };
  const realm = {
    realm: REALM,
    enabled: true,
    // Its default is shorter than a comparison.
    accessTokenLifespan: 3_600,
    sslRequired: 'none',
    // Its default takes a tenth of a second of CPU time for each login of the preparation.
    passwordPolicy: 'hashAlgorithm(pbkdf2-sha256) and hashIterations(1)',
    clients: [
      {
        clientId: id,
        secret,
        redirectUris: [CALLBACK],
        standardFlowEnabled: true,
        attributes: { 'pkce.code.challenge.method': 'S256' },
      },
    ],
    users: names.map((username) => ({
      username,
      enabled: true,
      email: `${username}@acme.test`,
      firstName: 'Alice',
      lastName: 'Adams',
      credentials: [{ type: 'password', value: PASSWORD }],
    })),
  };
  const response = await fetch(`${url}/admin/realms`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(realm),
  });
  if (response.status !== 201) throw new Error(`Keycloak answers ${response.status}: ${await response.text()}`);
}

/** Logs a user in by the form of the login page. Returns the cookies of the session. */
async function logIn(provider: Omit<OpenIdProvider, 'openBrowsers'>, username: string): Promise<string> {
  const page = await fetch(provider.program.url + authorizationPath(provider), { redirect: 'manual' });
  const action = /action="([^"]+)"/.exec(await page.text())?.[1]?.replaceAll('&amp;', '&');
  if (action === undefined) throw new Error(`Keycloak shows no login page: ${page.status}`);
  const response = await fetch(action, {
    method: 'POST',
    headers: { cookie: cookiesOf(page) },
    body: new URLSearchParams({ username, password: PASSWORD }),
    redirect: 'manual',
  });
  if (!response.headers.get('location')?.startsWith(CALLBACK))
    throw new Error(`Keycloak refuses a login: ${response.status} ${await response.text()}`);
  return `${cookiesOf(page)}; ${cookiesOf(response)}`;
}

function cookiesOf({ headers }: Response): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0]!)
    .filter((cookie) => !cookie.endsWith('='))
    .join('; ');
}
