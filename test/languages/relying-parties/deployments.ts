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

export const PASSWORD = 'correct horse battery staple';
const ADMIN = 'alice@acme.test';

const ACCOUNTS = `
tenants:
  - id: acme
    name: Acme Flowers
    users: [{username: ${ADMIN}, password: ${PASSWORD}, roles: [ADMIN]}]
`;

interface ProviderKind {
  readonly engine: Engine;
  /** `apart`: core and gateway are two processes, with gRPC between them. */
  readonly processes: 'one process' | 'apart';
  readonly profile: 'A' | 'B';
}

/** The simplest deployment and the one with all parts, under both profiles. */
export const PROVIDERS: readonly ProviderKind[] = (['A', 'B'] as const).flatMap((profile) => [
  { engine: ENGINES[0]!, processes: 'one process' as const, profile },
  { engine: ENGINES.at(-1)!, processes: 'apart' as const, profile },
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
  user(): Promise<User>;
  /** Registers an application of the tenant: POST /applications. */
  register(fields: object): Promise<Application>;
  /** Returns the access token of a new session. */
  logIn(user: Pick<User, 'username'>): Promise<string>;
}

/** Starts a provider before the tests of a block, and ends it after them. */
export function startedProvider(kind: ProviderKind): Provider {
  const started = {} as Provider;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const database = await createEmptyDatabase(kind.engine);
    ({ remove } = database);
    Object.assign(started, providerAt(await startService(kind, database.url)));
  });
  afterAll(async () => {
    await endProcesses();
    await remove?.();
  });
  return started;
}

/** Returns the issuer. */
async function startService({ processes, profile }: ProviderKind, databaseUrl: string): Promise<string> {
  const [isApart, port] = [processes === 'apart', await freePort()];
  // A path makes it harder to find the metadata: each library looks elsewhere.
  const contextPath = isApart ? '/auth' : '';
  const issuer = `http://localhost:${port}${contextPath}`;
  const bootstrap = join(emptyFolder(), 'bootstrap.yaml');
  writeFileSync(bootstrap, ACCOUNTS, { mode: 0o600 });
  const ofBoth = { 'app.public-url': issuer, 'app.business.enabled': 'false' };
  const ofCore = { ...SHOP_SETTINGS, ...ofBoth, 'app.database.url': databaseUrl, 'app.bootstrap.file': bootstrap };
  const ofGateway = {
    ...ofBoth,
    'app.http.port': port,
    'app.security.auth-profile': profile,
    'app.security.refresh-session.cookie-secure': 'false',
    ...(isApart && { 'app.http.context-path': contextPath }),
  };
  await (isApart
    ? startApart(ofCore, ofGateway)
    : startProgram('gateway', { settings: { ...ofCore, ...ofGateway } }).ready());
  return issuer;
}

async function startApart(ofCore: SettingFlags, ofGateway: SettingFlags): Promise<void> {
  const { rpc } = await startProgram('core', { settings: ofCore }).ready();
  const { 'app.name': name, 'app.env': env, 'app.management.port': management } = SHOP_SETTINGS;
  const settings = { 'app.name': name!, 'app.env': env!, 'app.management.port': management!, ...ofGateway };
  await startProgram('gateway', { settings: { ...settings, 'app.gateway.core': `dns:///${rpc}` } }).ready();
}

function providerAt(issuer: string): Provider {
  // Bodies of any type.
  async function post(path: string, body: object, token?: string): Promise<any> {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(`${issuer}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} responds ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
  async function logIn({ username }: Pick<User, 'username'>): Promise<string> {
    const { accessToken, access_token: token = accessToken } = await post('/auth/login', {
      username,
      password: PASSWORD,
    });
    return token;
  }
  const asAdmin = async (path: string, body: object) => post(path, body, await logIn({ username: ADMIN }));
  return {
    issuer,
    logIn,
    async user() {
      const username = `${randomUUID()}@acme.test`;
      const { id, name } = await asAdmin('/users', {
        username,
        password: PASSWORD,
        name: 'Bob',
        email: username,
        roles: ['MANAGER'],
      });
      return { id, username, name };
    },
    async register(fields) {
      const { application, clientSecret } = await asAdmin('/applications', { name: 'Wiki', ...fields });
      return { clientId: application.clientId, clientSecret };
    },
  };
}
