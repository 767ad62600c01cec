// Real cores with accounts of a bootstrap file, each reached in another way.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  emptyFolder,
  freePort,
  SHOP_SETTINGS,
  startProgram,
  type ServiceProcess,
  type SettingFlags,
} from '../support/service-process.ts';
import { runShell } from './commands.ts';
import { docCommands } from './doc-commands.ts';
import { requirePrograms } from './toolchain.ts';

export interface Core {
  /** A gRPC target. */
  readonly address: string;
  /** What the examples read from their environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly process: ServiceProcess;
}

export const PASSWORD = 'correct horse battery staple';
export const MANAGER = 'bob@acme.test';
const CLIENT = { id: 'acme-sync', secret: 'a-client-secret-of-more-than-32-characters' };
export const ADMIN = 'alice@acme.test';

const ACCOUNTS = `
tenants:
  - id: acme
    name: Acme Flowers
    users:
      - {username: ${ADMIN}, password: ${PASSWORD}, roles: [ADMIN]}
      - {username: ${MANAGER}, password: ${PASSWORD}, roles: [MANAGER]}
    serviceAccounts: [{clientId: ${CLIENT.id}, clientSecret: ${CLIENT.secret}, roles: [MANAGER]}]
`;

/** Starts a core on a free port of 127.0.0.1, in plain text unless the settings say otherwise. */
export async function startCore(settings: SettingFlags = {}): Promise<Core> {
  const bootstrap = join(emptyFolder(), 'bootstrap.yaml');
  writeFileSync(bootstrap, ACCOUNTS, { mode: 0o600 });
  const core = startProgram('core', {
    settings: {
      ...SHOP_SETTINGS,
      'app.bootstrap.file': bootstrap,
      'app.security.api-key.enabled': 'true',
      ...settings,
    },
  });
  const { rpc } = await core.ready();
  const address = rpc.startsWith('unix:') ? rpc : `dns:///${rpc}`;
  const env = {
    CORE_ADDRESS: address,
    CORE_USERNAME: MANAGER,
    CORE_PASSWORD: PASSWORD,
    CORE_CLIENT_ID: CLIENT.id,
    CORE_CLIENT_SECRET: CLIENT.secret,
  };
  return { address, env, process: core };
}

export const startOnUnixSocket = (): Promise<Core> =>
  startCore({ 'app.rpc.host': `unix:${join(emptyFolder(), 'core.sock')}` });

/** Starts a core that asks for client certificates. */
export async function startWithMutualTls(): Promise<Core> {
  requirePrograms('openssl');
  const folder = emptyFolder();
  await runShell(docCommands('certificates'), { cwd: folder });
  const file = (name: string) => join(folder, name);
  const core = await startCore({
    'app.rpc.tls.cert': file('core.pem'),
    'app.rpc.tls.key': file('core.key'),
    'app.rpc.tls.client-ca': file('ca.pem'),
  });
  const tls = { CORE_CA: file('ca.pem'), CORE_CERT: file('greeter.pem'), CORE_KEY: file('greeter.key') };
  // By a name: @grpc/grpc-js fails with TLS to an IP address.
  const address = core.address.replace('127.0.0.1', 'localhost');
  return { ...core, address, env: { ...core.env, ...tls, CORE_ADDRESS: address } };
}

/** Starts several cores with one database, at one port of an address each. */
export async function startSeveral(hosts: readonly string[]): Promise<{ cores: Core[]; port: string }> {
  const port = await freePort();
  const databaseUrl = `sqlite:${join(emptyFolder(), 'service.db')}`;
  const startAt = (host: string) =>
    startCore({
      'app.rpc.host': host,
      'app.rpc.port': port,
      'app.database.url': databaseUrl,
      'app.log.level': 'debug',
    });
  const [first, ...others] = hosts;
  // The first one makes the tables.
  const cores = [await startAt(first!)];
  cores.push(...(await Promise.all(others.map(startAt))));
  return { cores, port };
}
