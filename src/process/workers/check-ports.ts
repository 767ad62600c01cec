import { createServer } from 'node:net';
import type { Settings } from '../../config/settings.ts';
import type { ServingRole } from '../usage.ts';

/**
 * Rejects if another program listens on a TCP port of the workers. The workers themselves would share the port with it.
 */
export async function assertPortsFree(role: ServingRole, settings: Settings): Promise<void> {
  const hasCore = role === 'core' || settings['app.gateway.core'] === 'local';
  const host = settings['app.rpc.host'];
  if (hasCore && settings['app.rpc.enabled'] && !host.startsWith('unix:')) {
    await assertPortFree(settings['app.rpc.port'], host);
  }
  if (role !== 'core') await assertPortFree(settings['app.http.port'], settings['app.http.host']);
}

async function assertPortFree(port: number, host: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

/** Returns flags that give all further workers the free ports that the first one has selected. */
export function portFlags(settings: Settings, addresses: Readonly<Record<string, string>>): string[] {
  const flag = (name: 'app.http.port' | 'app.rpc.port', address: string | undefined) => {
    const port = /:(\d+)$/.exec(address ?? '')?.[1];
    return settings[name] === 0 && port !== undefined ? [`--${name}=${port}`] : [];
  };
  return [...flag('app.http.port', addresses['http']), ...flag('app.rpc.port', addresses['rpc'])];
}
