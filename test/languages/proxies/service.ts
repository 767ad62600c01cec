// The auth service in processes of its own, and a service that knows nothing of it.
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { emptyFolder, FREE_PORTS, SHOP_SETTINGS, startProgram } from '../../support/service-process.ts';

export const PASSWORD = 'A long enough password';

const BOOTSTRAP = `superAdmins:
  - { username: root, password: ${PASSWORD} }
tenants:
  - id: acme
    name: Acme Flowers
    users:
      - { username: zoe@acme.test, password: ${PASSWORD}, name: Zoë 100%, email: zoe@acme.test, roles: [SALES] }
      - { username: ann@acme.test, password: ${PASSWORD}, name: Ann, roles: [ADMIN] }
`;

export interface AuthService {
  readonly port: number;
  /** gRPC target of the core, a Unix socket. */
  readonly core: string;
  login(username: string): Promise<string>;
  logout(token: string): Promise<void>;
  /** Ends the core; the gateway goes on. */
  stopCore(): Promise<void>;
}

/** Starts core and gateway apart. endProcesses ends them. `settings` are further ones of the gateway. */
export async function startAuthService(settings: Readonly<Record<string, string>> = {}): Promise<AuthService> {
  const folder = emptyFolder();
  const bootstrap = join(folder, 'bootstrap.yaml');
  writeFileSync(bootstrap, BOOTSTRAP, { mode: 0o600 });
  const socket = `unix:${join(folder, 'core.sock')}`;
  const core = startProgram('core', {
    settings: {
      ...SHOP_SETTINGS,
      'app.database.url': `sqlite:${join(folder, 'service.db')}`,
      'app.files.store': `disk:${join(folder, 'files')}`,
      'app.bootstrap.file': bootstrap,
      'app.rpc.host': socket,
    },
  });
  await core.ready();
  const gateway = startProgram('gateway', {
    settings: { ...FREE_PORTS, 'app.name': 'my-shop', 'app.env': 'TEST', 'app.gateway.core': socket, ...settings },
  });
  const { http } = await gateway.ready();
  const post = (path: string, init: RequestInit) => fetch(`${http}/api/v1/auth/${path}`, { method: 'POST', ...init });
  return {
    port: Number(new URL(http).port),
    core: socket,
    async login(username) {
      const headers = { 'content-type': 'application/json' };
      const answer = await post('login', { headers, body: JSON.stringify({ username, password: PASSWORD }) });
      return ((await answer.json()) as { accessToken: string }).accessToken;
    },
    async logout(token) {
      await post('logout', { headers: { authorization: `Bearer ${token}` } });
    },
    async stopCore() {
      await core.stop();
    },
  };
}

/** Any service behind a proxy: answers each request with the headers and the body that arrived, and accepts any upgrade. */
export async function startEcho(): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const answer = JSON.stringify({ url: request.url, headers: request.headers, body });
      response.setHeader('content-length', Buffer.byteLength(answer));
      response.end(answer);
    });
  });
  server.on('upgrade', ({ url, headers }, socket) => {
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', `Upgrade: ${headers['upgrade']}`];
    const seen = Buffer.from(JSON.stringify({ url, headers })).toString('base64');
    socket.write([...lines, `X-Seen: ${seen}`, '', ''].join('\r\n'));
    socket.on('error', () => socket.destroy()).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, server };
}
