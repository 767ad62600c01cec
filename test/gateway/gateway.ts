// The gateway under test: the real app over a fake core.
import { tmpdir } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { buildApp } from '../../gateway/app.ts';
import type { AppOptions } from '../../gateway/app.ts';
import type { GatewaySettings } from '../../gateway/context.ts';
import { createHttpMetrics } from '../../gateway/metrics.ts';
import { loadSettings } from '../../src/platform/config/load.ts';
import { fakeCore } from '../support/fake-core.ts';
import type { FakeCore } from '../support/fake-core.ts';
import { BUSINESS_ENABLED } from '../support/shop-served.ts';

const ARGUMENTS = [
  '--app.env=DEV',
  `--app.business.enabled=${BUSINESS_ENABLED}`,
  '--app.http.cors.allowed-origins=https://shop.test',
  '--app.public-url=none',
  '--app.security.refresh-session.legacy-fallbacks=true',
  '--app.security.refresh-token.return-rotated=true',
];

export const SETTINGS: GatewaySettings = loadSettings({
  argv: ARGUMENTS,
  env: {},
  cwd: tmpdir(),
  role: 'gateway',
}).settings;

export interface GatewayUnderTest {
  readonly app: FastifyInstance;
  readonly core: FakeCore;
  readonly registry: Registry;
  /** Every log line, as text. */
  readonly lines: string[];
}

/** Builds a gateway over a new fake core. */
export async function gateway(
  settings: Partial<GatewaySettings> = {},
  guard?: AppOptions['guard'],
  dev?: AppOptions['dev'],
  stopping?: AbortSignal,
): Promise<GatewayUnderTest> {
  const core = fakeCore();
  const registry = new Registry();
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const app = await buildApp({
    // With the routes of all services.
    settings: { ...SETTINGS, 'app.oauth.enabled': true, ...settings },
    clients: core.clients,
    log,
    metrics: createHttpMetrics(registry),
    ...(guard && { guard }),
    ...(dev && { dev }),
    stopping,
  });
  return { app, core, registry, lines };
}

/** Those of some tests in a row. The worker keeps them to its end, and an application is 2 MB. */
const MAX_SHARED = 4;
const shared = new Map<string, Promise<GatewayUnderTest>>();

/**
 * Returns the gateway with these settings as a new one: without calls, answers of a test and log lines, but with its metrics. It is built
 * once, for tests that only inject requests.
 */
export async function sharedGateway(settings: Partial<GatewaySettings> = {}): Promise<GatewayUnderTest> {
  const key = JSON.stringify(settings);
  const built = shared.get(key) ?? gateway(settings);
  shared.delete(key);
  shared.set(key, built);
  if (shared.size > MAX_SHARED) shared.delete(shared.keys().next().value!);
  const under = await built;
  under.core.reset();
  under.lines.length = 0;
  return under;
}
