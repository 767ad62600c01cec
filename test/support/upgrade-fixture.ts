// A database and a configuration as a released version writes them, with the credentials of their users. scripts/upgrade-fixture.ts
// makes them; test/process/upgrade.test.ts runs later versions on them.
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { restClient, sessionOf, bearer } from './rest-client.ts';
import { endProcesses, FREE_PORTS, PROJECT, startProgram, type ServiceProcess } from './service-process.ts';

const RELEASES = join(PROJECT, 'test/fixtures/releases');
const PASSWORD = 'Correct horse 42';
const DATABASE = 'service.db';

/** What a person would write for a small deployment in PROD. Sessions and records last as long as possible. */
const CONFIGURATION = `app:
  env: PROD
  database: { url: 'sqlite:${DATABASE}' }
  public-url: https://auth.example.com
  bootstrap: { file: accounts.yaml }
  audit: { retention: 36500d }
  files: { store: 'disk:files' }
  security:
    api-key: { enabled: true }
    refresh-session: { idle-window: 400d }
`;
const ACCOUNTS = `tenants:
  - id: acme
    name: Acme
    users:
      - { username: admin@acme.test, password: '${PASSWORD}', roles: [ADMIN] }
      - { username: sam@acme.test, password: '${PASSWORD}', roles: [SALES] }
`;
/** Created as a test: the key of no deployment. */
const KEY = Buffer.alloc(32, 'upgrade').toString('base64');

/** What the users of the database have in their hands. */
export interface Credentials {
  /** The tag or commit of the code that made it. */
  readonly source: string;
  readonly username: string;
  readonly password: string;
  /** The refresh cookie of an open session. */
  readonly cookie: string;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly customer: { readonly id: string; readonly name: string };
}

/** The names of the released versions that have a fixture. */
export function releasesWithFixture(): string[] {
  return globSync('*/', { cwd: RELEASES }).map((name) => name.replace('/', ''));
}

/** Writes the fixture of a version to a folder, in which a service can start. */
export function unpackFixture(release: string, folder: string): Credentials {
  const from = join(RELEASES, release);
  for (const name of ['application.yaml', 'accounts.yaml', 'key-encryption-key']) {
    copyFileSync(join(from, name), join(folder, name));
  }
  writeFileSync(join(folder, DATABASE), gunzipSync(readFileSync(join(from, `${DATABASE}.gz`))), { mode: 0o600 });
  return JSON.parse(readFileSync(join(from, 'credentials.json'), 'utf8')) as Credentials;
}

/** Starts a service with the configuration of a folder, on free ports. */
export function startIn(folder: string, project: string): ServiceProcess {
  const env = { APP_SECURITY_KEY_ENCRYPTION_KEY_FILE: 'key-encryption-key' };
  return startProgram('gateway', { settings: FREE_PORTS, env, cwd: folder, project });
}

/** Runs the code of `project` in an empty folder, uses it as its users do, and keeps what it has written. */
export async function makeFixture(release: string, source: string, project: string, folder: string): Promise<void> {
  const to = join(RELEASES, release);
  mkdirSync(to, { recursive: true });
  for (const [name, text] of Object.entries({
    'application.yaml': CONFIGURATION,
    'accounts.yaml': ACCOUNTS,
    'key-encryption-key': KEY,
  })) {
    writeFileSync(join(to, name), `${text.trimEnd()}\n`);
    writeFileSync(join(folder, name), `${text.trimEnd()}\n`, { mode: 0o600 });
  }
  const service = startIn(folder, project);
  const credentials = await use((await service.ready()).http);
  await service.stop();
  writeFileSync(join(to, 'credentials.json'), `${JSON.stringify({ source, ...credentials }, null, 2)}\n`);
  writeFileSync(join(to, `${DATABASE}.gz`), gzipSync(readFileSync(join(folder, DATABASE)), { level: 9 }));
  await endProcesses();
}

async function use(http: string): Promise<Omit<Credentials, 'source'>> {
  const client = restClient(http);
  const username = 'admin@acme.test';
  const login = sessionOf(await client.login({ username, password: PASSWORD, rememberMe: true }));
  const headers = bearer(login.accessToken);
  const create = async (path: string, body: object) => {
    const response = await client.postJson(`/api/v1${path}`, body, headers);
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${response.text}`);
    return response.body as Record<string, string> & { serviceAccount: { id: string } };
  };
  const customer = await create('/customers', { name: 'Ann Example' });
  const product = await create('/products', { sku: 'ROSE', name: 'Rose', price: 2.5, stock: 10 });
  await create('/orders', { customerId: customer['id'], items: [{ productId: product['id'], quantity: 2 }] });
  await create('/roles', { name: 'INVOICE_CLERK', permissions: ['invoices:read', 'READ_ORDERS'] });
  const machine = await create('/service-accounts', { clientId: 'nightly', name: 'Nightly', roles: ['ACCOUNTANT'] });
  const key = await create(`/service-accounts/${machine.serviceAccount.id}/api-keys`, { label: 'nightly' });
  await client.login({ username: 'sam@acme.test', password: 'wrong password' });
  return {
    username,
    password: PASSWORD,
    cookie: sessionOf(await client.refresh(login.cookie)).cookie,
    apiKey: key['apiKey']!,
    clientId: 'nightly',
    clientSecret: machine['clientSecret']!,
    customer: { id: customer['id']!, name: customer['name']! },
  };
}
