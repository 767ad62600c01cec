// Creates the core: database, keys, services, jobs.
import type { Logger } from 'pino';
import { assertData, assertFiles } from './assert-settings.ts';
import { DEMO } from './bootstrap/demo.ts';
import type { Clock } from '../platform/clock.ts';
import { type Composition, compose, createCoreHost } from './core.ts';
import { createFirstAccounts, warnOfDemoAccounts } from './first-accounts.ts';
import { loadModules } from './load-modules.ts';
import type { Settings } from '../platform/config/settings.ts';
import { connectDatabase } from '../platform/db/connect.ts';
import { migrate } from '../platform/db/migrate.ts';
import { createReadinessCheck } from '../platform/db/readiness.ts';
import type { Database } from '../platform/db/types.ts';
import type { Metric } from '../platform/metric.ts';
import { waitForDatabase } from '../platform/db/wait.ts';
import { createOutageWatch } from '../platform/process/outage-watch.ts';
import { startCleanup, type Cleanup } from '../platform/jobs/cleanup.ts';
import { recordTime } from '../platform/jobs/lease.ts';
import { createFairCalls } from '../platform/rpc/pipeline/fair-calls.ts';
import { healthService } from '../platform/rpc/pipeline/health.ts';
import type { Host, HostOptions } from '../platform/rpc/pipeline/host.ts';
import { traceDatabase } from '../platform/tracing/trace-database.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';

export interface CoreOptions {
  readonly settings: Settings;
  readonly log: Logger;
  readonly clock?: Clock;
  /**
   * Aborts when the process begins to stop. Ends the wait for the database; a running core then reports that it is not
   * healthy.
   */
  readonly signal?: AbortSignal;
  readonly observe?: HostOptions['observe'];
  /** Records the spans of all calls. */
  readonly tracer?: Tracer | undefined;
  /** How often due mails are sent. Tests do not wait for the default of a second. */
  readonly mailIntervalMs?: number;
}

/** A core that is ready to serve. */
export interface Core {
  readonly host: Host;
  /** The demo accounts, if they exist, to show at the start. */
  readonly demo: typeof DEMO | undefined;
  readonly cleanup: Cleanup;
  readonly metrics: readonly Metric[];
  /** Returns why the core cannot serve now: the database does not respond or cannot be written, or its schema does not fit. */
  problem(): Promise<string | undefined>;
  /** Stores the audit records of all earlier refusals now. Tests read them without waiting for the next interval. */
  flush(): Promise<void>;
  /** Seals the audit records that wait now. Tests need not wait for the next interval. */
  sealRecords(): Promise<number>;
  /**
   * Stops jobs and closes connections. All calls must have been answered or cancelled before. Their writes are settled
   * first: the rotation of a caller that has gone is set back.
   */
  close(): Promise<void>;
}

const HEALTH_INTERVAL_MS = 2_000;

/** Waits for the database, updates its schema and starts the services. */
export async function openCore(options: CoreOptions): Promise<Core> {
  const { settings, log, clock = Date.now, signal, tracer } = options;
  await loadModules(settings);
  await assertFiles(settings);
  const database = connectDatabase({
    url: settings['app.database.url'],
    poolSize: settings['app.database.pool-size'],
    log,
    tracer,
  });
  try {
    await waitForDatabase(database, { log, ...(signal && { signal }) });
    await assertData(database, settings);
    await migrate(database, log, { ignoreLowestVersion: settings['app.database.ignore-lowest-version'] });
    return await startCore(tracer ? traceDatabase(database, tracer) : database, { ...options, clock });
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function startCore(database: Database, options: CoreOptions & { readonly clock: Clock }): Promise<Core> {
  const { settings, log, clock, tracer, signal: stopping, mailIntervalMs } = options;
  const core = await compose({ settings, database, clock, log, tracer, stopping, mailIntervalMs });
  try {
    return await startComposed(core, database, options);
  } catch (error) {
    // The first error says why the start failed.
    await core.close().catch(() => {});
    throw error;
  }
}

async function startComposed(
  core: Composition,
  database: Database,
  { settings, log, clock, signal, observe, tracer }: CoreOptions & { readonly clock: Clock },
): Promise<Core> {
  const { foundation, modules, authentication, totpSecrets, mail: mails, checks, services } = core;
  const { hasher, checkPassword } = authentication;
  const credentials = { hasher, checkPassword, totpSecrets, invitations: mails.links?.invitations };
  const demo = (await createFirstAccounts(foundation, credentials, modules)) ? DEMO : undefined;
  await warnOfDemoAccounts(foundation, authentication);

  const probe = await createReadinessCheck(database, {
    write: () => recordTime(database, 'readiness', Date.now()),
    ignoreLowestVersion: settings['app.database.ignore-lowest-version'],
  });
  const outages = createOutageWatch({ name: database.address, probe, log });
  const isReady = async () => (await outages.check()) === undefined;
  const health = healthService({ check: isReady, intervalMs: HEALTH_INTERVAL_MS, services, stopping: signal });
  const fairCalls = createFairCalls(callLimits(settings));
  const host = createCoreHost(foundation, {
    services: [...services, health],
    authenticate: checks.authenticate,
    reauthenticate: checks.reauthenticate,
    requireFresh: checks.requireFresh,
    fairCalls,
    tracer,
    ...(observe && { observe }),
  });
  const cleanup = startCleanup({ database, targets: core.cleanupTargets, clock, log });
  const jobs = [...core.jobs.map((job) => job.start(log)), cleanup];
  return {
    host,
    demo,
    cleanup,
    metrics: [...core.metrics, ...fairCalls.metrics],
    problem: outages.check,
    flush: () => core.flush(),
    sealRecords: () => core.auditTrail.sealDue(),
    async close() {
      outages.close();
      for (const job of jobs) await job.stop();
      await host.ended();
      await core.close();
      await database.close();
    },
  };
}

/**
 * Calls of a tenant keep all connections of the pool busy, and calls of another tenant wait behind few of them. Calls without a
 * principal issue credentials. They share commits, so more of them run.
 */
function callLimits(settings: Settings) {
  return {
    maxOfTenants: Math.max(64, 4 * settings['app.database.pool-size']),
    maxWithoutPrincipal: Math.max(256, 4 * settings['app.database.pool-size']),
  };
}
