// This service as an OpenID provider, started as its operators start it, with a user and an application for each test.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createEmptyDatabase, ENGINES, type Engine } from '../../support/databases.ts';
import {
  emptyFolder,
  endProcesses,
  freePort,
  SHOP_SETTINGS,
  startProgram,
  type SettingFlags,
} from '../../support/service-process.ts';
import { endTls, type TlsEnd } from './tls-end.ts';

export const PASSWORD = 'correct horse battery staple';
const ADMIN = 'alice@acme.test';

const ACCOUNTS = `
tenants:
  - id: acme
    name: Acme Flowers
    users: [{username: ${ADMIN}, password: ${PASSWORD}, roles: [ADMIN]}]
`;

export interface ProviderKind {
  readonly engine: Engine;
  /** `two cores`: a gateway sends each call to one of two cores in turn, so that no step finds what only one process knows. */
  readonly processes: 'one process' | 'two cores';
  readonly profile: 'A' | 'B';
}

/** The simplest deployment and the one with all parts, under both profiles. */
export const PROVIDERS: readonly ProviderKind[] = (['A', 'B'] as const).flatMap((profile) => [
  { engine: ENGINES[0]!, processes: 'one process' as const, profile },
  { engine: ENGINES.at(-1)!, processes: 'two cores' as const, profile },
]);

/** Somebody who can log in. */
export interface User {
  readonly id: string;
  readonly username: string;
  readonly name: string;
}

export interface Application {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
}

export interface Provider {
  readonly issuer: string;
  /** A file with the certificate of the CA, behind TLS. */
  readonly ca: string | undefined;
  user(): Promise<User>;
  /** Registers an application of the tenant: POST /applications. */
  register(fields: object): Promise<Application>;
  /** Returns the access token of a new session. */
  logIn(user: Pick<User, 'username'>): Promise<string>;
  /** Returns the ids of the sessions of a user. */
  sessions(user: User): Promise<readonly string[]>;
  /** Ends the sessions of a user one by one, as an administrator: accesses with offline_access stay. */
  endSessions(user: User): Promise<void>;
  /** Sends a request of an administrator of the tenant. */
  asAdmin(method: string, path: string, body?: object): Promise<any>;
}

interface ProviderOptions {
  /** Behind a proxy that ends TLS, for clients that refuse an issuer with http. */
  readonly isHttps?: boolean;
}

/** Starts a provider before the tests of a block, and ends it after them. */
export function startedProvider(kind: ProviderKind, options: ProviderOptions = {}): Provider {
  const started = {} as Provider;
  let remove: () => Promise<void>;
  let tls: TlsEnd | undefined;
  beforeAll(async () => {
    const database = await createEmptyDatabase(kind.engine);
    ({ remove } = database);
    const port = await freePort();
    if (options.isHttps) tls = await endTls(port);
    // A path makes it harder to find the metadata: each library looks elsewhere.
    const contextPath = kind.processes === 'two cores' ? '/auth' : '';
    const local = `http://localhost:${port}${contextPath}`;
    const issuer = tls === undefined ? local : `${tls.origin}${contextPath}`;
    await startService(kind, { databaseUrl: database.url, port, contextPath, issuer });
    Object.assign(started, { ca: tls?.ca, ...providerAt(issuer, local) });
  });
  afterAll(async () => {
    await tls?.close();
    await endProcesses();
    await remove?.();
  });
  return started;
}

interface Place {
  readonly databaseUrl: string;
  readonly port: string;
  readonly contextPath: string;
  readonly issuer: string;
}

async function startService({ processes, profile }: ProviderKind, place: Place): Promise<void> {
  const { databaseUrl, port, contextPath, issuer } = place;
  const bootstrap = join(emptyFolder(), 'bootstrap.yaml');
  writeFileSync(bootstrap, ACCOUNTS, { mode: 0o600 });
  const ofBoth = { 'app.public-url': issuer, 'app.business.enabled': 'false' };
  const ofCore = {
    ...SHOP_SETTINGS,
    ...ofBoth,
    'app.database.url': databaseUrl,
    'app.bootstrap.file': bootstrap,
    // The applications get logout tokens on this machine.
    'app.webhooks.allowed-networks': '127.0.0.1,::1',
  };
  const isSecure = issuer.startsWith('https:');
  const ofGateway = {
    ...ofBoth,
    'app.http.port': port,
    'app.security.auth-profile': profile,
    'app.security.refresh-session.cookie-secure': String(isSecure),
    ...(contextPath !== '' && { 'app.http.context-path': contextPath }),
    ...(isSecure && { 'app.http.trusted-proxies': '127.0.0.1,::1' }),
  };
  await (processes === 'two cores'
    ? startTwoCores(ofCore, ofGateway)
    : startProgram('gateway', { settings: { ...ofCore, ...ofGateway } }).ready());
}

async function startTwoCores(ofCore: SettingFlags, ofGateway: SettingFlags): Promise<void> {
  const startCore = async () => (await startProgram('core', { settings: ofCore }).ready()).rpc;
  // The first one makes the tables.
  const cores = [await startCore(), await startCore()];
  const { 'app.name': name, 'app.env': env, 'app.management.port': management } = SHOP_SETTINGS;
  const settings = { 'app.name': name!, 'app.env': env!, 'app.management.port': management!, ...ofGateway };
  await startProgram('gateway', { settings: { ...settings, 'app.gateway.core': `ipv4:${cores.join(',')}` } }).ready();
}

/** `local` is the URL without TLS. */
function providerAt(issuer: string, local: string): Omit<Provider, 'ca'> {
  // Bodies of any type.
  async function send(method: string, path: string, body?: object, token?: string): Promise<any> {
    const headers = {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${local}/api/v1${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} responds ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
  async function logIn({ username }: Pick<User, 'username'>): Promise<string> {
    const credentials = { username, password: PASSWORD };
    const { accessToken, access_token: token = accessToken } = await send('POST', '/auth/login', credentials);
    return token;
  }
  const asAdmin = async (method: string, path: string, body?: object) =>
    send(method, path, body, await logIn({ username: ADMIN }));
  async function sessions({ id }: User): Promise<string[]> {
    const found = await asAdmin('GET', `/users/${id}/sessions`);
    return (found.items ?? found).map((session: { id: string }) => session.id);
  }
  return {
    issuer,
    logIn,
    async user() {
      const username = `${randomUUID()}@acme.test`;
      const roles = ['MANAGER'];
      const fields = { username, password: PASSWORD, name: 'Bob', email: username, roles };
      const { id, name } = await asAdmin('POST', '/users', fields);
      return { id, username, name };
    },
    async register(fields) {
      const body = await asAdmin('POST', '/applications', { name: 'Wiki', ...fields });
      // With a secret, the application is a member.
      const { application = body, clientSecret } = body;
      return { clientId: application.clientId, clientSecret };
    },
    sessions,
    async endSessions(user) {
      for (const id of await sessions(user)) await asAdmin('DELETE', `/users/${user.id}/sessions/${id}`);
    },
    asAdmin,
  };
}
