// Creates the connection limits of every server in the process, from the settings and the available file descriptors.
import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { type ConnectionLimit, createConnectionLimit, sharedAddresses } from './connection-limit.ts';
import type { Metrics } from './metrics.ts';

/** Descriptors for Node itself, listeners, log, database files, refused connections and files opened by gRPC calls. */
const RESERVED = 256;
/** Descriptors per HTTP connection: its socket and one open file. */
const PER_HTTP_CONNECTION = 2;
/** Descriptors per database connection: itself and a second one that cancels a stuck statement. */
const PER_DATABASE_CONNECTION = 2;
/** With fewer connections, a service is useless. */
const LEAST = 16;

interface DescriptorNeeds {
  readonly http: number;
  readonly rpc: number;
  readonly management: number;
  readonly database: number;
}

/**
 * Lowers the numbers of HTTP and gRPC connections proportionally to the descriptors that remain for them. `needed` is the
 * number of descriptors without lowering.
 */
export function planDescriptors(limit: number, { http, rpc, management, database }: DescriptorNeeds) {
  const others = RESERVED + management + database * PER_DATABASE_CONNECTION;
  const connections = http * PER_HTTP_CONNECTION + rpc;
  const needed = others + connections;
  if (needed <= limit) return { http, rpc, needed, isLowered: false };
  const share = Math.max(0, limit - others) / connections;
  const lowered = (wanted: number) =>
    wanted === 0 ? 0 : Math.max(Math.min(LEAST, wanted), Math.floor(wanted * share));
  return { http: lowered(http), rpc: lowered(rpc), needed, isLowered: true };
}

/** Returns the process's limit of open files (`ulimit -n`); Infinity if the system shows none. */
function descriptorLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined || soft === 'unlimited' ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}

/** The servers of a process. Their settings begin with these names. */
type ServerName = 'http' | 'rpc' | 'management';

interface ConnectionLimitsOptions {
  readonly settings: Settings;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** The servers beside the management port. */
  readonly servers: { readonly http: boolean; readonly rpc: boolean };
}

const WARNING_INTERVAL_MS = 60_000;

/** Creates the limits. Lowers them, with a warning, if the process may not open enough descriptors. */
export function createConnectionLimits(
  options: ConnectionLimitsOptions,
): Readonly<Record<ServerName, ConnectionLimit>> {
  const { settings, servers } = options;
  const total = totals(options);
  const trusted = servers.http ? settings['app.http.trusted-proxies'] : [];
  // No address may use all connections, even if the limits are lowered.
  const atMostHalf = (wanted: number, of: number) => Math.min(wanted, Math.ceil(of / 2));
  const limit = (name: ServerName, all: number, perAddress: number, networks: readonly string[] = []) =>
    observedLimit(name, all, perAddress, networks, options);
  return {
    http: limit('http', total.http, atMostHalf(settings['app.http.max-connections-per-address'], total.http), trusted),
    rpc: limit('rpc', total.rpc, atMostHalf(settings['app.rpc.max-connections-per-address'], total.rpc)),
    management: limit('management', total.management, Math.ceil(total.management / 2)),
  };
}

function totals({ settings, log, servers }: ConnectionLimitsOptions): Record<ServerName, number> {
  const management = settings['app.management.max-connections'];
  const wanted = {
    http: servers.http ? settings['app.http.max-connections'] : 0,
    rpc: servers.rpc ? settings['app.rpc.max-connections'] : 0,
  };
  const limit = descriptorLimit();
  const plan = planDescriptors(limit, { ...wanted, management, database: settings['app.database.pool-size'] });
  if (plan.isLowered) {
    const lowered = (['http', 'rpc'] as const)
      .filter((name) => plan[name] < wanted[name])
      .map((name) => `app.${name}.max-connections from ${wanted[name]} to ${plan[name]}`);
    log.warn(
      { descriptors: limit, needed: plan.needed },
      `the process may open ${limit} files and connections only, so the start lowers ${lowered.join(' and ')}; raise the ` +
        `limit to ${plan.needed} (ulimit -n, LimitNOFILE), or lower these settings`,
    );
  }
  return { http: plan.http, rpc: plan.rpc, management };
}

function observedLimit(
  name: ServerName,
  total: number,
  perAddress: number,
  networks: readonly string[],
  { metrics, log }: ConnectionLimitsOptions,
): ConnectionLimit {
  let warnedAt = -Infinity;
  const limit = createConnectionLimit({
    total,
    perAddress,
    isExempt: sharedAddresses(networks),
    onRefused(bound, address) {
      metrics.countRefusedConnection(name, bound);
      if (performance.now() - warnedAt < WARNING_INTERVAL_MS) return;
      warnedAt = performance.now();
      const setting = `app.${name}.max-connections${bound === 'address' && name !== 'management' ? '-per-address' : ''}`;
      const proxy = name === 'http' && bound === 'address' ? '; a proxy belongs to app.http.trusted-proxies' : '';
      log.warn({ address, bound, connections: limit.open }, `connections are refused by ${setting}${proxy}`);
    },
  });
  metrics.watchConnections(name, limit);
  return limit;
}
