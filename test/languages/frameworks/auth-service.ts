// The auth service as its operators start it, at a port that stays its own when it is started again.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt, type JWTPayload } from 'jose';
import { pino } from 'pino';
import { SessionServiceService } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { connectDatabase } from '../../../src/platform/db/connect.ts';
import type { Database } from '../../../src/platform/db/types.ts';
import { grpcChannel } from '../../../src/platform/rpc/grpc/client.ts';
import { emptyFolder, freePort, SHOP_SETTINGS, startProgram } from '../../support/service-process.ts';
import { tokenForge, type TokenForge } from '../../support/forged-tokens.ts';

export const AUDIENCE = 'my-shop';
export const CLIENT = { id: 'acme: sync', secret: 'a client secret of 32 characters: % + /' };
export const MANAGER = 'bob@acme.test';
export const ADMIN = 'alice@acme.test';
export const ROOT = 'root';
export const TENANT = 'acme';
/** A user of another tenant. */
export const STRANGER = 'eve@globex.test';
/** A resource server. */
export const WATCHER = { id: 'watcher', secret: 'another client secret of 32 characters' };
const PASSWORD = 'correct horse battery staple';

const ACCOUNTS = `
superAdmins: [{username: ${ROOT}, password: ${PASSWORD}}]
tenants:
  - id: acme
    name: Acme Flowers
    users:
      - {username: ${ADMIN}, password: ${PASSWORD}, roles: [ADMIN]}
      - {username: ${MANAGER}, password: ${PASSWORD}, roles: [MANAGER]}
    serviceAccounts:
      - {clientId: "${CLIENT.id}", clientSecret: "${CLIENT.secret}", roles: [MANAGER]}
      - {clientId: ${WATCHER.id}, clientSecret: ${WATCHER.secret}, roles: [TENANT_USER], resourceServer: true}
  - id: globex
    users: [{username: ${STRANGER}, password: ${PASSWORD}, roles: [MANAGER]}]
`;

export interface AuthService {
  readonly port: number;
  readonly issuer: string;
  /** The gRPC target of its core. */
  readonly coreTarget: string;
  login(username: string): Promise<string>;
  logout(token: string): Promise<void>;
  /** Disables or enables the account of a token. */
  setDisabled(token: string, disabled: boolean): Promise<void>;
  /** A token of the machine client. */
  machineToken(): Promise<string>;
  /** An API key of that client. */
  apiKey(): Promise<string>;
  /** Makes tokens like this one, signed by the service's own key or by others. */
  forge(token: string): Promise<{ readonly claims: JWTPayload; readonly by: TokenForge }>;
  /** Publishes a new signing key, ends the service, and lets the key sign from now on. */
  rotateKeyAndStop(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the service with this path in its public URL; endProcesses ends it. */
export async function startAuthService(contextPath = ''): Promise<AuthService> {
  const folder = emptyFolder();
  const bootstrap = join(folder, 'bootstrap.yaml');
  writeFileSync(bootstrap, ACCOUNTS, { mode: 0o600 });
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const databaseUrl = `sqlite:${join(folder, 'service.db')}`;
  const settings = {
    ...SHOP_SETTINGS,
    'app.http.port': port,
    'app.database.url': databaseUrl,
    'app.files.store': `disk:${join(folder, 'files')}`,
    'app.bootstrap.file': bootstrap,
    'app.public-url': origin + contextPath,
    'app.security.jwt.audience': AUDIENCE,
    'app.security.api-key.enabled': 'true',
    ...(contextPath && { 'app.http.context-path': contextPath }),
  };
  let service = startProgram('gateway', { settings });
  let { rpc } = await service.ready();

  const post = async (path: string, init: RequestInit): Promise<Record<string, string>> => {
    const response = await fetch(`${origin}${contextPath}/api/v1${path}`, { method: 'POST', ...init });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} responses ${response.status}: ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Record<string, string>;
  };
  const postJson = (path: string, body: object, token?: string) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    return post(path, { headers, body: JSON.stringify(body) });
  };
  const login = async (username: string) =>
    (await postJson('/auth/login', { username, password: PASSWORD }))['accessToken']!;
  const machineToken = async () => {
    const { id: client_id, secret: client_secret } = CLIENT;
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
    return (await post('/auth/token', { body }))['access_token']!;
  };
  const withDatabase = async <Result>(run: (database: Database) => Promise<Result>): Promise<Result> => {
    const database = connectDatabase({ url: databaseUrl, poolSize: 1, log: pino({ level: 'silent' }) });
    try {
      return await run(database);
    } finally {
      await database.close();
    }
  };

  return {
    port: Number(port),
    issuer: origin + contextPath,
    get coreTarget() {
      return `dns:///${rpc}`;
    },
    login,
    async logout(token) {
      await post('/auth/logout', { headers: { authorization: `Bearer ${token}` } });
    },
    async setDisabled(token, disabled) {
      const path = `/users/${decodeJwt(token).sub}/${disabled ? 'disable' : 'enable'}`;
      await post(path, { headers: { authorization: `Bearer ${await login(ROOT)}` } });
    },
    machineToken,
    async apiKey() {
      const path = `/service-accounts/${decodeJwt(await machineToken()).sub}/api-keys`;
      return (await postJson(path, { label: 'shop' }, await login(ADMIN)))['apiKey']!;
    },
    forge: (token) =>
      withDatabase(async (database) => {
        const claims = decodeJwt(token);
        const account = { id: claims.sub!, tenantId: 'acme', roles: [] };
        const clock = { now: Date.now, advance: () => {} };
        return { claims, by: await tokenForge({ database, clock }, account, String(claims['sid'])) };
      }),
    async rotateKeyAndStop() {
      const channel = grpcChannel({ target: rpc });
      const authorization = [`Bearer ${await login(ROOT)}`];
      await channel.client(SessionServiceService).rotateSigningKey({}, { authorization });
      channel.close();
      await service.stop();
      // Nobody waits for the 7 minutes that let caches learn of a new key.
      const newest = 'SELECT MAX(sequence) AS sequence FROM signing_keys';
      await withDatabase(async (database) => {
        const [found] = await database.query<{ sequence: number }>(newest);
        const update = 'UPDATE signing_keys SET signs_from = ? WHERE sequence = ?';
        await database.execute(update, [Date.now(), found!.sequence]);
      });
    },
    async start() {
      service = startProgram('gateway', { settings });
      ({ rpc } = await service.ready());
    },
    async stop() {
      await service.stop();
    },
  };
}
