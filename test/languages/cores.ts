// Real cores with accounts of a bootstrap file, each reached in another way.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder, SHOP_SETTINGS, startProgram, type SettingFlags } from '../support/service-process.ts';
import { runShell } from './commands.ts';
import { docCommands } from './doc-commands.ts';
import { requirePrograms } from './toolchain.ts';

export interface Core {
  /** A gRPC target. */
  readonly address: string;
  /** What the examples read from their environment. */
  readonly env: Readonly<Record<string, string>>;
}

export const PASSWORD = 'correct horse battery staple';
export const MANAGER = 'bob@acme.test';
export const ADMIN = 'alice@acme.test';

const ACCOUNTS = `
tenants:
  - id: acme
    name: Acme Flowers
    users:
      - {username: ${ADMIN}, password: ${PASSWORD}, roles: [ADMIN]}
      - {username: ${MANAGER}, password: ${PASSWORD}, roles: [MANAGER]}
    serviceAccounts: [{clientId: acme-sync, clientSecret: a-client-secret-of-more-than-32-characters, roles: [MANAGER]}]
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
  return { address, env: { CORE_ADDRESS: address, CORE_USERNAME: MANAGER, CORE_PASSWORD: PASSWORD } };
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
  return { address, env: { ...core.env, ...tls, CORE_ADDRESS: address } };
}
