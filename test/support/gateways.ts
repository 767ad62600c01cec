// Further gateways for the core of a deployment, connected by its transport.
import { tmpdir } from 'node:os';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { buildApp } from '../../gateway/app.ts';
import type { Clients } from '../../gateway/clients.ts';
import { createHttpMetrics } from '../../gateway/metrics.ts';
import { loadSettings } from '../../src/platform/config/load.ts';
import type { GatewaySettings } from '../../src/platform/config/settings.ts';
import { TEST_SETTINGS, type Deployment } from './deployment.ts';

export interface AddedGateway {
  readonly url: string;
  close(): Promise<void>;
}

/** The settings of a gateway with these flags. */
export function gatewaySettings(flags: Readonly<Record<string, string>>): GatewaySettings {
  const argv = Object.entries({ ...TEST_SETTINGS, ...flags }).map(([name, value]) => `--${name}=${value}`);
  return loadSettings({ argv, env: {}, cwd: tmpdir(), role: 'gateway' }).settings;
}

/** Starts another gateway with other settings for a deployment's core. */
export async function addGateway(
  deployment: Pick<Deployment, 'clients'>,
  flags: Readonly<Record<string, string>>,
): Promise<AddedGateway> {
  const settings = gatewaySettings(flags);
  const clients: Clients = deployment.clients;
  const app = await buildApp({
    settings,
    clients,
    log: pino({ level: 'silent' }),
    metrics: createHttpMetrics(new Registry()),
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: () => app.close() };
}
